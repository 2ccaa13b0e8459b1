// fib-bench: two threads add each other's number to their own; a third one checks the bound.
//
//     at first x=1, y=1
//     T1: NUM times { p=x.acq; q=y.acq; x=(p+q).rel }
//     T2: NUM times { p=x.acq; q=y.acq; y=(p+q).rel }
//     T3: assert(!(x.acq>144 || y.acq>144)), where y is read only if x is not above
//
// The threads are created in the order T3, T2, T1.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef NUM
#define NUM 4
#endif

static atomic_int x = 1, y = 1;

static void *t1(void *arg)
{
	(void)arg;
	for (int i = 0; i < NUM; i++) {
		int p = atomic_load_explicit(&x, memory_order_acquire);
		int q = atomic_load_explicit(&y, memory_order_acquire);
		atomic_store_explicit(&x, p + q, memory_order_release);
	}
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	for (int i = 0; i < NUM; i++) {
		int p = atomic_load_explicit(&x, memory_order_acquire);
		int q = atomic_load_explicit(&y, memory_order_acquire);
		atomic_store_explicit(&y, p + q, memory_order_release);
	}
	return NULL;
}

static void *t3(void *arg)
{
	(void)arg;
	int above = atomic_load_explicit(&x, memory_order_acquire) > 144 ||
		    atomic_load_explicit(&y, memory_order_acquire) > 144;
	assert(!above);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2, p3;

	pthread_create(&p3, NULL, t3, NULL);
	pthread_create(&p2, NULL, t2, NULL);
	pthread_create(&p1, NULL, t1, NULL);
	return 0;
}
