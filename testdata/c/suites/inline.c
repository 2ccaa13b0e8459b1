// C wants an external definition of each inline function that is not inlined; many programs have none.
#include <assert.h>

inline int next(int x) { return x + 1; }

inline void check(void) { assert(next(1) == 2); }

int main(void)
{
	check();
	return next(-1);
}
