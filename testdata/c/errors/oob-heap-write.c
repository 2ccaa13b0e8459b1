// A write one element behind the end of a heap array.
#include <stdio.h>
#include <stdlib.h>

int n = 4;

int main(void)
{
	int *a = malloc(4 * sizeof *a); // RELATED
	int sum = 0;

	for (int i = 0; i <= n; i++) {
		a[i] = i; // ERROR
	}
	for (int i = 0; i < 4; i++) {
		sum += a[i];
	}
	printf("%d\n", sum);
	free(a);
	return 0;
}
