// A read one element behind the end of a local array.
#include <stdio.h>

int n = 4;

int main(void)
{
	int a[4]; // RELATED
	int sum = 0;

	for (int i = 0; i < 4; i++) {
		a[i] = i;
	}
	for (int i = 0; i <= n; i++) {
		sum += a[i]; // ERROR
	}
	printf("%d\n", sum);
	return 0;
}
