// LB+SB: load buffering around store buffering.
//
//     a=x; z=1; b=w; y=1  ||  c=y; w=1; d=z; x=1
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y, z, w;

static void *t1(void *arg)
{
	(void)arg;
	(void)atomic_load_explicit(&x, memory_order_relaxed);
	atomic_store_explicit(&z, 1, memory_order_relaxed);
	(void)atomic_load_explicit(&w, memory_order_relaxed);
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	(void)atomic_load_explicit(&y, memory_order_relaxed);
	atomic_store_explicit(&w, 1, memory_order_relaxed);
	(void)atomic_load_explicit(&z, memory_order_relaxed);
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;

	pthread_create(&p1, NULL, t1, NULL);
	pthread_create(&p2, NULL, t2, NULL);
	return 0;
}
