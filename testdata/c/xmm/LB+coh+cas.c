// LB+coh+cas: two compare-and-swaps that would need each other: the second can only succeed after the first.
//
//     CAS(x,0,1)  ||  CAS(x,1,0)
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *t1(void *arg)
{
	(void)arg;
	int expected = 0;
	(void)atomic_compare_exchange_strong_explicit(&x, &expected, 1, memory_order_relaxed, memory_order_relaxed);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	int expected = 1;
	(void)atomic_compare_exchange_strong_explicit(&x, &expected, 0, memory_order_relaxed, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;

	pthread_create(&p1, NULL, t1, NULL);
	pthread_create(&p2, NULL, t2, NULL);
	return 0;
}
