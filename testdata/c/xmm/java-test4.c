// java-test4: Java causality test 4: two copies, no value out of thin air.
//
//     r1=x; y=r1  ||  r2=y; x=r2
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *t1(void *arg)
{
	(void)arg;
	int r1 = atomic_load_explicit(&x, memory_order_relaxed);
	atomic_store_explicit(&y, r1, memory_order_relaxed);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	int r2 = atomic_load_explicit(&y, memory_order_relaxed);
	atomic_store_explicit(&x, r2, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;

	pthread_create(&p1, NULL, t1, NULL);
	pthread_create(&p2, NULL, t2, NULL);
	return 0;
}
