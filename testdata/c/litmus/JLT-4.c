// JLT: three threads, two of which read back what they wrote.
//
//     x=1.rel; a=y.acq; b=x.acq  ||  x=2.rel; c=x.acq  ||  y=3.rel
//
// The threads are created in the order T3, T1, T2.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *t1(void *arg)
{
	(void)arg;
	atomic_store_explicit(&x, 1, memory_order_release);
	(void)atomic_load_explicit(&y, memory_order_acquire);
	(void)atomic_load_explicit(&x, memory_order_acquire);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	atomic_store_explicit(&x, 2, memory_order_release);
	(void)atomic_load_explicit(&x, memory_order_acquire);
	return NULL;
}

static void *t3(void *arg)
{
	(void)arg;
	atomic_store_explicit(&y, 3, memory_order_release);
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
