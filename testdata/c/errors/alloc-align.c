// C requires an alignment that the implementation has: three is none.
#include <stdlib.h>

int main(void)
{
	size_t three = 3;
	free(aligned_alloc(three, 9));
	return 0;
}
