// SB: store buffering with release and acquire: both threads may read 0.
//
//     x=1.rel; a=y.acq  ||  y=1.rel; b=x.acq
//
// The threads are created in the order T2, T1.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *t1(void *arg)
{
	(void)arg;
	atomic_store_explicit(&x, 1, memory_order_release);
	(void)atomic_load_explicit(&y, memory_order_acquire);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	atomic_store_explicit(&y, 1, memory_order_release);
	(void)atomic_load_explicit(&x, memory_order_acquire);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;

	pthread_create(&p2, NULL, t2, NULL);
	pthread_create(&p1, NULL, t1, NULL);
	return 0;
}
