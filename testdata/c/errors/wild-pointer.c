// A write through a number that was never an address of an object.
#include <stdint.h>

uintptr_t number = 0x123450;

int main(void)
{
	int *p = (int *)number;

	*p = 1; // ERROR
	return 0;
}
