// Concurrent counting (thesis, appendix C.1): THREADS threads, main among them, add INCS each.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef THREADS
#define THREADS 4
#endif
#ifndef INCS
#define INCS 2
#endif

atomic_int counter;

void *increment(void *unused)
{
	for (int i = 0; i < INCS; i++) {
		int j = i;
		while (!atomic_compare_exchange_strong_explicit(&counter, &j, j + 1, memory_order_relaxed, memory_order_relaxed))
			;
	}
	return 0;
}

int main()
{
	pthread_t t[THREADS];
	for (int i = THREADS - 2; i >= 0; i--)
		pthread_create(&t[i], 0, increment, 0);
	increment(0);
	for (int i = THREADS - 2; i >= 0; i--)
		pthread_join(t[i], 0);
	assert(atomic_load(&counter) == THREADS * INCS);
}
