// A write one element behind the end of a global array.
#include <stdio.h>

int n = 4;
static int a[4]; // RELATED

int main(void)
{
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
