// free of a global variable.
#include <stdlib.h>

static int spare;
int *next = &spare;

int main(void)
{
	free(next); // ERROR
	return 0;
}
