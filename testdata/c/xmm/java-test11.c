// java-test11: Java causality test 11: chains of copies and an independent store at the end.
//
//     r1=z; w=r1; r2=x; y=r2  ||  r3=w; r4=y; z=r4; x=1
#include <pthread.h>
#include <stdatomic.h>

static atomic_int w, x, y, z;

static void *t1(void *arg)
{
	(void)arg;
	int r1 = atomic_load_explicit(&z, memory_order_relaxed);
	atomic_store_explicit(&w, r1, memory_order_relaxed);
	int r2 = atomic_load_explicit(&x, memory_order_relaxed);
	atomic_store_explicit(&y, r2, memory_order_relaxed);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	(void)atomic_load_explicit(&w, memory_order_relaxed);
	int r4 = atomic_load_explicit(&y, memory_order_relaxed);
	atomic_store_explicit(&z, r4, memory_order_relaxed);
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
