// A pointer passed as an int, as SV-COMP tasks do with __VERIFIER_assume(p): the low 32 bits of the address of an object are not 0, so
// every assumption holds and the error is reached.
#include <stdint.h>
#include <stdlib.h>

extern void __VERIFIER_assume(int);

static int global;
static __thread int own;

int main(void)
{
	int local;
	int *heap = malloc(sizeof *heap);
	__VERIFIER_assume((int)(intptr_t)heap);
	__VERIFIER_assume((int)(intptr_t)&local);
	__VERIFIER_assume((int)(intptr_t)&global);
	__VERIFIER_assume((int)(intptr_t)&own);
	__VERIFIER_assume((int)(intptr_t)main);
	free(heap);
	abort();
}
