// po-loc: a read and a write of the same location in program order, closed by a dependency.
//
//     a=y; F.ar; b=x; x=1  ||  r=x; y=r
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *t1(void *arg)
{
	(void)arg;
	(void)atomic_load_explicit(&y, memory_order_relaxed);
	atomic_thread_fence(memory_order_acq_rel);
	(void)atomic_load_explicit(&x, memory_order_relaxed);
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	int r = atomic_load_explicit(&x, memory_order_relaxed);
	atomic_store_explicit(&y, r, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;

	pthread_create(&p1, NULL, t1, NULL);
	pthread_create(&p2, NULL, t2, NULL);
	return 0;
}
