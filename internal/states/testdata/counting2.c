#include <assert.h>
#include <stdatomic.h>
#include "ravel.h"
#ifndef INCS
#define INCS 2
#endif
atomic_int counter, begun;
void *increment(void *unused)
{
#ifdef START
	if (unused) atomic_load(&begun);
#endif
	for (int i = 0; i < INCS; i++) {
		int j = i;
		while (!atomic_compare_exchange_strong_explicit(&counter, &j, j + 1, memory_order_relaxed, memory_order_relaxed))
			;
	}
	return 0;
}
int main()
{
#ifdef INIT
	atomic_store(&counter, 0);
#endif
	ravel_thread a = ravel_spawn(increment, (void*)1), b = ravel_spawn(increment, (void*)1), c = ravel_spawn(increment, (void*)1);
	increment(0);
	ravel_join(a);ravel_join(b);ravel_join(c);
#ifdef CHECK
	assert(atomic_load(&counter) == 4 * INCS);
#endif
}
