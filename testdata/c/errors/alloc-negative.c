// The size that is one less than nothing is the largest number there is.
#include <stdlib.h>

int main(void)
{
	int n = 0;
	free(malloc(n - 1));
	return 0;
}
