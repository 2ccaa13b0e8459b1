// The same object freed twice in a row.
#include <stdlib.h>

int main(void)
{
	int *p = malloc(sizeof *p);

	*p = 1;
	free(p); // RELATED
	free(p); // ERROR
	return 0;
}
