// A read one element behind the end of a global array.
#include <stdio.h>

int n = 4;
static int a[4]; // RELATED

int main(void)
{
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
