// free of a pointer into the middle of an object.
#include <stdlib.h>

int main(void)
{
	int *p = malloc(4 * sizeof *p); // RELATED

	p[0] = 1;
	p++;
	free(p); // ERROR
	return 0;
}
