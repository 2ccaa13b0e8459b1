// free of a local variable.
#include <stdlib.h>

static int *pick(int *preferred, int *other)
{
	return *preferred ? preferred : other;
}

int main(void)
{
	int local = 1;
	int *heap = malloc(sizeof *heap);

	*heap = 0;
	free(pick(&local, heap)); // ERROR
	return 0;
}
