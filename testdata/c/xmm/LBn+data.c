// LBn+data(N): LBn where all threads but the first store the value they read.
//
//     T0: r=x[0]; x[1]=1
//     Ti: r=x[i]; x[(i+1)%N]=r      i = 1..N-1
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef N
#define N 10
#endif

static atomic_int x[N];

static void *first(void *arg)
{
	(void)arg;
	(void)atomic_load_explicit(&x[0], memory_order_relaxed);
	atomic_store_explicit(&x[1], 1, memory_order_relaxed);
	return NULL;
}

static void *copy_on(void *arg)
{
	int i = (intptr_t)arg;
	int r = atomic_load_explicit(&x[i], memory_order_relaxed);

	atomic_store_explicit(&x[(i + 1) % N], r, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t p[N];

	pthread_create(&p[0], NULL, first, NULL);
	for (intptr_t i = 1; i < N; i++) {
		pthread_create(&p[i], NULL, copy_on, (void *)i);
	}
	return 0;
}
