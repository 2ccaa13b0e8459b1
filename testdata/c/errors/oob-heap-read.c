// A read one element behind the end of a heap array.
#include <stdio.h>
#include <stdlib.h>

int n = 4;

int main(void)
{
	int *a = malloc(4 * sizeof *a); // RELATED
	int sum = 0;

	for (int i = 0; i < 4; i++) {
		a[i] = i;
	}
	for (int i = 0; i <= n; i++) {
		sum += a[i]; // ERROR
	}
	printf("%d\n", sum);
	free(a);
	return 0;
}
