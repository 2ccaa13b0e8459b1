// default: two writers and a thread that reads twice.
//
//     a=x.acq; b=x.acq  ||  x=1.rel  ||  x=2.rel
//
// The threads are created in the order T2, T3, T1.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *t1(void *arg)
{
	(void)arg;
	(void)atomic_load_explicit(&x, memory_order_acquire);
	(void)atomic_load_explicit(&x, memory_order_acquire);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	atomic_store_explicit(&x, 1, memory_order_release);
	return NULL;
}

static void *t3(void *arg)
{
	(void)arg;
	atomic_store_explicit(&x, 2, memory_order_release);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2, p3;

	pthread_create(&p2, NULL, t2, NULL);
	pthread_create(&p3, NULL, t3, NULL);
	pthread_create(&p1, NULL, t1, NULL);
	return 0;
}
