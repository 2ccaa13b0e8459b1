// ainc(N): N increments of one counter: N! executions.
//
//     Ti: FADD(x,1)      i = 1..N
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 6
#endif

static atomic_int x;

static void *increment(void *arg)
{
	(void)arg;
	atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t p[N];

	for (int i = 0; i < N; i++) {
		pthread_create(&p[i], NULL, increment, NULL);
	}
	return 0;
}
