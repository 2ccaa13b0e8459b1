// want: memory use after free
// realloc frees the old object, even where it could have stayed.
#include <stdlib.h>

int main(void)
{
	int *p = malloc(2 * sizeof *p);
	*p = 1;
	int *q = realloc(p, sizeof *p);
	return *p + *q;
}
