// The only pointer to an object is overwritten.
#include <stdlib.h>

int main(void)
{
	char *buffer = malloc(16); // ERROR

	buffer[0] = 'a';
	buffer = malloc(32);
	buffer[0] = 'b';
	free(buffer);
	return 0;
}
