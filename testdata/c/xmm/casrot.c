// casrot(N): N compare-and-swaps, each from the value that the one before leaves.
//
//     main: idx[i]=i.na, then creates Ti
//     Ti: k=idx[i].na; CAS(x,k-1,k)      i = 1..N
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 9
#endif

static atomic_int x;
static int idx[N + 1];

static void *rotate(void *arg)
{
	int k = *(int *)arg;
	int expected = k - 1;

	atomic_compare_exchange_strong_explicit(&x, &expected, k, memory_order_relaxed, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t p[N + 1];

	for (int i = 1; i <= N; i++) {
		idx[i] = i;
		pthread_create(&p[i], NULL, rotate, &idx[i]);
	}
	return 0;
}
