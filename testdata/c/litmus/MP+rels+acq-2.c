// MP+rels+acq: a relaxed store after the release store of the same thread is not in its release sequence (C++20): the stale read stays.
//
//     x=1; y=0.rel; y=1  ||  r=y.acq; if(r){a=x}
//
// The threads are created in the order T2, T1.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *t1(void *arg)
{
	(void)arg;
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	atomic_store_explicit(&y, 0, memory_order_release);
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	int r = atomic_load_explicit(&y, memory_order_acquire);
	if (r) {
		(void)atomic_load_explicit(&x, memory_order_relaxed);
	}
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;

	pthread_create(&p2, NULL, t2, NULL);
	pthread_create(&p1, NULL, t1, NULL);
	return 0;
}
