// ccr: two compare-and-swaps from 0: one wins, and the read after the second sees the winner.
//
//     CAS(x,0,42)  ||  CAS(x,0,17); a=x
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *t1(void *arg)
{
	(void)arg;
	int expected = 0;
	(void)atomic_compare_exchange_strong_explicit(&x, &expected, 42, memory_order_relaxed, memory_order_relaxed);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	int expected = 0;
	(void)atomic_compare_exchange_strong_explicit(&x, &expected, 17, memory_order_relaxed, memory_order_relaxed);
	(void)atomic_load_explicit(&x, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;

	pthread_create(&p1, NULL, t1, NULL);
	pthread_create(&p2, NULL, t2, NULL);
	return 0;
}
