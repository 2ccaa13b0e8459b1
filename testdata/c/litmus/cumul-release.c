// cumul-release: a release store read by a relaxed load and passed on by a relaxed store does not carry the first write along.
//
//     x=1; y=1.rel  ||  a=y; z=a  ||  b=z; F.ar; c=x
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y, z;

static void *t1(void *arg)
{
	(void)arg;
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	atomic_store_explicit(&y, 1, memory_order_release);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	int a = atomic_load_explicit(&y, memory_order_relaxed);
	atomic_store_explicit(&z, a, memory_order_relaxed);
	return NULL;
}

static void *t3(void *arg)
{
	(void)arg;
	(void)atomic_load_explicit(&z, memory_order_relaxed);
	atomic_thread_fence(memory_order_acq_rel);
	(void)atomic_load_explicit(&x, memory_order_relaxed);
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
