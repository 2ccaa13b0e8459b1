// LB: load buffering: rc11 forbids that both loads see the other thread's later store.
//
//     a=y.acq; x=1.rel  ||  b=x.acq; y=1.rel
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *t1(void *arg)
{
	(void)arg;
	(void)atomic_load_explicit(&y, memory_order_acquire);
	atomic_store_explicit(&x, 1, memory_order_release);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	(void)atomic_load_explicit(&x, memory_order_acquire);
	atomic_store_explicit(&y, 1, memory_order_release);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;

	pthread_create(&p1, NULL, t1, NULL);
	pthread_create(&p2, NULL, t2, NULL);
	return 0;
}
