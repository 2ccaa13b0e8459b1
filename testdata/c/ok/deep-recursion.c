// A recursion as deep as a stack of 8 MiB allows: no error of the program.
#include <assert.h>

static int depth(int n) { return n ? 1 + depth(n - 1) : 0; }

int main(void)
{
	volatile int n = 100000;
	assert(depth(n) == n);
}
