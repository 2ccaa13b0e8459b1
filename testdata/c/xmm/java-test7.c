// java-test7: Java causality test 7: copies and an independent store at the end.
//
//     r1=z; r2=x; y=r2  ||  r3=y; z=r3; x=1
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y, z;

static void *t1(void *arg)
{
	(void)arg;
	(void)atomic_load_explicit(&z, memory_order_relaxed);
	int r2 = atomic_load_explicit(&x, memory_order_relaxed);
	atomic_store_explicit(&y, r2, memory_order_relaxed);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	int r3 = atomic_load_explicit(&y, memory_order_relaxed);
	atomic_store_explicit(&z, r3, memory_order_relaxed);
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
