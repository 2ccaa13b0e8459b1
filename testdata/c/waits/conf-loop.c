// N threads increment a counter ROUNDS times each: read, compute, and confirm by a compare-and-swap that nobody was faster. A round that fails has no effect.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif

static atomic_int counter;

static void *increment(void *arg) {
	for (int i = 0; i < ROUNDS; i++) {
		int old;
		do {
			old = atomic_load_explicit(&counter, memory_order_acquire);
		} while (!atomic_compare_exchange_strong_explicit(&counter, &old, old + 1, memory_order_acq_rel, memory_order_relaxed));
	}
	return 0;
}

int main(void) {
	pthread_t t[N];
	for (int i = 0; i < N; i++)
		pthread_create(&t[i], 0, increment, 0);
	for (int i = 0; i < N; i++)
		pthread_join(t[i], 0);
	assert(atomic_load(&counter) == N * ROUNDS);
}
