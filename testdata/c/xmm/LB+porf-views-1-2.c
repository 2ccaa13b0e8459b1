// LB+porf-views-1: one branch writes a location three times before the store, the other reads after it.
//
//     r1=x; if(!r1){x=2; x=3; x=4; y=1} else {y=1; a=z}  ||  r3=y; x=r3; z=1
//
// The threads are created in the order T2, T1.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y, z;

static void *t1(void *arg)
{
	(void)arg;
	int r1 = atomic_load_explicit(&x, memory_order_relaxed);
	if (!r1) {
		atomic_store_explicit(&x, 2, memory_order_relaxed);
		atomic_store_explicit(&x, 3, memory_order_relaxed);
		atomic_store_explicit(&x, 4, memory_order_relaxed);
		atomic_store_explicit(&y, 1, memory_order_relaxed);
	} else {
		atomic_store_explicit(&y, 1, memory_order_relaxed);
		(void)atomic_load_explicit(&z, memory_order_relaxed);
	}
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	int r3 = atomic_load_explicit(&y, memory_order_relaxed);
	atomic_store_explicit(&x, r3, memory_order_relaxed);
	atomic_store_explicit(&z, 1, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;

	pthread_create(&p2, NULL, t2, NULL);
	pthread_create(&p1, NULL, t1, NULL);
	return 0;
}
