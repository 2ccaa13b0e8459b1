// The program keeps the complement of an address, or its negative, and may find that malloc returns the block again.
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef NEGATIVE
#define HIDE(p) (-(uintptr_t)(p))
#else
#define HIDE(p) (~(uintptr_t)(p))
#endif

int main(void)
{
	void *p = malloc(4);
	uintptr_t hidden = HIDE(p);
	free(p);
	void *q = malloc(4);
	assert(HIDE(q) != hidden);
	free(q);
	return 0;
}
