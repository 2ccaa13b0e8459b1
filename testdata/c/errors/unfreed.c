// An object that a global variable still points to when the program ends.
#include <stdlib.h>

static char *buffer;

int main(void)
{
	buffer = malloc(16); // ERROR
	buffer[0] = 'a';
	return buffer[0] != 'a';
}
