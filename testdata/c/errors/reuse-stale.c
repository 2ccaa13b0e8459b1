// A stale pointer is an error when it is used, though the block may have been allocated again.
#include <stdlib.h>

int main(void)
{
	int *old = malloc(sizeof *old);
	free(old);
	int *new = malloc(sizeof *new);
	*new = 1;
#ifdef TWICE
	free(old);
#else
	*old = 2;
#endif
	free(new);
	return 0;
}
