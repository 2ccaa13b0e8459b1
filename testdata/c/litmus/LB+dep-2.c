// LB+dep: load buffering with data dependencies.
//
//     r=x; y=r+1  ||  r=y; x=r+1
//
// The threads are created in the order T2, T1.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *t1(void *arg)
{
	(void)arg;
	int r = atomic_load_explicit(&x, memory_order_relaxed);
	atomic_store_explicit(&y, r + 1, memory_order_relaxed);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	int r = atomic_load_explicit(&y, memory_order_relaxed);
	atomic_store_explicit(&x, r + 1, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;

	pthread_create(&p2, NULL, t2, NULL);
	pthread_create(&p1, NULL, t1, NULL);
	return 0;
}
