// The heap: what malloc, calloc, realloc and aligned_alloc promise.
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

int main(void)
{
	int *a = malloc(2 * sizeof *a);
	a[0] = 1;
	a[1] = 2;

	a = realloc(a, 8 * sizeof *a);
	a[7] = 8;
	assert(a[0] == 1 && a[1] == 2 && a[7] == 8);
	a = realloc(a, sizeof *a);
	assert(a[0] == 1);

	int *z = calloc(4, sizeof *z);
	for (int i = 0; i < 4; i++) {
		assert(z[i] == 0);
	}

	int *fresh = realloc(NULL, sizeof *fresh);
	*fresh = 5;
	assert(*fresh == 5);

	char *aligned = aligned_alloc(64, 128);
	assert((uintptr_t)aligned % 64 == 0);
	aligned[127] = 'z';
	assert(aligned[127] == 'z');

	free(aligned);
	free(fresh);
	free(z);
	free(a);
	free(NULL);
	return 0;
}
