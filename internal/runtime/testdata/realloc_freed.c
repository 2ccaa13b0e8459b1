// want: memory double free
// realloc of what was freed.
#include <stdlib.h>

int *p;

int main(void)
{
	p = malloc(sizeof *p);
	free(p);
	p = realloc(p, 8);
	return 0;
}
