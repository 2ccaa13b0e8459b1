// LB+coh+RR: a store that may only follow, next to two coherent reads.
//
//     r1=x; x=2; y=1  ||  r2=y; if(r2){x=1}  ||  r3=x; r4=x
//
// The threads are created in the order T3, T1, T2.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *t1(void *arg)
{
	(void)arg;
	(void)atomic_load_explicit(&x, memory_order_relaxed);
	atomic_store_explicit(&x, 2, memory_order_relaxed);
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	int r2 = atomic_load_explicit(&y, memory_order_relaxed);
	if (r2) {
		atomic_store_explicit(&x, 1, memory_order_relaxed);
	}
	return NULL;
}

static void *t3(void *arg)
{
	(void)arg;
	(void)atomic_load_explicit(&x, memory_order_relaxed);
	(void)atomic_load_explicit(&x, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2, p3;

	pthread_create(&p3, NULL, t3, NULL);
	pthread_create(&p1, NULL, t1, NULL);
	pthread_create(&p2, NULL, t2, NULL);
	return 0;
}
