// Concurrent counting (thesis, appendix C.1): four threads, main among them, add INCS each. With -DSTART the start of a thread is a
// step of its own.
#include <assert.h>
#include <ravel.h>
#include <stdatomic.h>

#ifndef INCS
#define INCS 2
#endif

atomic_int counter, begun;

void *increment(void *worker)
{
#ifdef START
	if (worker)
		atomic_load(&begun);
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
	ravel_thread a = ravel_spawn(increment, (void *)1);
	ravel_thread b = ravel_spawn(increment, (void *)1);
	ravel_thread c = ravel_spawn(increment, (void *)1);
	increment(0);
	ravel_join(a);
	ravel_join(b);
	ravel_join(c);
	assert(atomic_load(&counter) == 4 * INCS);
}
