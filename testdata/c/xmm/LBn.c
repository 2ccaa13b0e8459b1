// LBn(N): load buffering around N threads.
//
//     Ti: r=x[i]; x[(i+1)%N]=1      i = 0..N-1
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef N
#define N 10
#endif

static atomic_int x[N];

static void *read_then_raise(void *arg)
{
	int i = (intptr_t)arg;

	(void)atomic_load_explicit(&x[i], memory_order_relaxed);
	atomic_store_explicit(&x[(i + 1) % N], 1, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t p[N];

	for (intptr_t i = 0; i < N; i++) {
		pthread_create(&p[i], NULL, read_then_raise, (void *)i);
	}
	return 0;
}
