// A recursion that misses its end.
#include <stdio.h>

struct frame {
	int depth;
	const struct frame *caller;
};

static int __attribute__((noinline)) descend(const struct frame *caller)
{
	struct frame f = {caller->depth - 1, caller};

	if (f.depth == 0) {
		return 0;
	}
	return f.caller->depth + descend(&f); // ERROR
}

int main(void)
{
	struct frame f = {0, NULL};

	printf("%d\n", descend(&f));
	return 0;
}
