// want: memory double free
// realloc of what was freed.
#include <stdlib.h>

int main(void)
{
	int *p = malloc(sizeof *p);
	free(p);
	p = realloc(p, 8);
	return 0;
}
