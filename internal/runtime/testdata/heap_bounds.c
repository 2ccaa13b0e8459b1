// want: memory
#include <stdlib.h>
int main(void)
{
	char *p = calloc(1, 8);
	p = realloc(p, 4);
	int r = p[5];
	free(p);
	return r;
}
