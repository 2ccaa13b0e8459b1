// want: verified 1
// flags: -std=gnu89
// Functions without prototypes, called directly and through pointers.
#include <assert.h>

int add();
int (*pointer)() = add;
int pick();

int main()
{
	int (*volatile other)() = add;
	assert(add(1, 2) == 3);
	assert(pointer(3, 4) == 7);
	assert(other(5, 6) == 11);
	pointer = pick;
	assert(pointer() == 4 && pick() == 4);
	return 0;
}

int add(a, b)
	int a, b;
{
	return a + b;
}

int pick() { return 4; }
