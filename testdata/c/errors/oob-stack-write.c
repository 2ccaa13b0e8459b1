// A write one element behind the end of a local array.
#include <stdio.h>

int n = 4;

int main(void)
{
	int a[4]; // RELATED
	int sum = 0;

	for (int i = 0; i <= n; i++) {
		a[i] = i; // ERROR
	}
	for (int i = 0; i < 4; i++) {
		sum += a[i];
	}
	printf("%d\n", sum);
	return 0;
}
