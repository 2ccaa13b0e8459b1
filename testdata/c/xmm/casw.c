// casw(N): N threads that each try a compare-and-swap from 0 and then store a value of their own.
//
//     Ti: CAS(x,0,1); x=(i+3).rel      i = 0..N-1
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef N
#define N 4
#endif

static atomic_int x;

static void *swap_then_store(void *arg)
{
	int i = (intptr_t)arg;
	int expected = 0;

	atomic_compare_exchange_strong_explicit(&x, &expected, 1, memory_order_relaxed, memory_order_relaxed);
	atomic_store_explicit(&x, i + 3, memory_order_release);
	return NULL;
}

int main(void)
{
	pthread_t p[N];

	for (intptr_t i = 0; i < N; i++) {
		pthread_create(&p[i], NULL, swap_then_store, (void *)i);
	}
	return 0;
}
