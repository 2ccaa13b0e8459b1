// MP2: one fence serves two messages to two readers.
//
//     a=1; c=1; F.ar; b=1; d=1  ||  p=b; F.ar; q=a  ||  r=d; F.ar; s=c
#include <pthread.h>
#include <stdatomic.h>

static atomic_int a, b, c, d;

static void *t1(void *arg)
{
	(void)arg;
	atomic_store_explicit(&a, 1, memory_order_relaxed);
	atomic_store_explicit(&c, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_acq_rel);
	atomic_store_explicit(&b, 1, memory_order_relaxed);
	atomic_store_explicit(&d, 1, memory_order_relaxed);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	(void)atomic_load_explicit(&b, memory_order_relaxed);
	atomic_thread_fence(memory_order_acq_rel);
	(void)atomic_load_explicit(&a, memory_order_relaxed);
	return NULL;
}

static void *t3(void *arg)
{
	(void)arg;
	(void)atomic_load_explicit(&d, memory_order_relaxed);
	atomic_thread_fence(memory_order_acq_rel);
	(void)atomic_load_explicit(&c, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2, p3;

	pthread_create(&p1, NULL, t1, NULL);
	pthread_create(&p2, NULL, t2, NULL);
	pthread_create(&p3, NULL, t3, NULL);
	return 0;
}
