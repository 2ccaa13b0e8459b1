// W+RWC: write-to-read, read-to-write causality through sc fences; main writes every location first.
//
//     main, before the threads: x=0; y=0; z=0.rel
//     x=1; z=1.rel  ||  a=z.acq; F.sc; b=y  ||  y=1; F.sc; c=x
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y, z;

static void *t1(void *arg)
{
	(void)arg;
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	atomic_store_explicit(&z, 1, memory_order_release);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	(void)atomic_load_explicit(&z, memory_order_acquire);
	atomic_thread_fence(memory_order_seq_cst);
	(void)atomic_load_explicit(&y, memory_order_relaxed);
	return NULL;
}

static void *t3(void *arg)
{
	(void)arg;
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst);
	(void)atomic_load_explicit(&x, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2, p3;

	atomic_store_explicit(&x, 0, memory_order_relaxed);
	atomic_store_explicit(&y, 0, memory_order_relaxed);
	atomic_store_explicit(&z, 0, memory_order_release);

	pthread_create(&p1, NULL, t1, NULL);
	pthread_create(&p2, NULL, t2, NULL);
	pthread_create(&p3, NULL, t3, NULL);
	return 0;
}
