// malloc may return the block that was freed just before, as glibc's does: an address is no name of an object for ever.
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

int main(void)
{
	long *p = malloc(sizeof *p);
	uintptr_t old = (uintptr_t)p;
	free(p);
	char *q = malloc(20);
	assert((uintptr_t)q != old);
	free(q);
	return 0;
}
