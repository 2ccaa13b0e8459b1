// Six threads increment a counter ten times, by a load and a store. It may lose all increments but two (Owicki and Gries, 1976): here some.
#include "noise.h"

static atomic_int count;

static void *add(void *arg)
{
	for (int i = 0; i < 10; i++)
		RIGHT_OR(atomic_fetch_add(&count, 1), atomic_store(&count, atomic_load(&count) + 1));
	return 0;
}

int main(void)
{
	run(6, add);
	assert(count > 30);
}
