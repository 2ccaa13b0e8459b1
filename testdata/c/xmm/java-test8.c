// java-test8: Java causality test 8: 1+r*r-r is 1 for the two values that r can have.
//
//     r1=x; y=1+r1*r1-r1  ||  r3=y; x=r3
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *t1(void *arg)
{
	(void)arg;
	int r1 = atomic_load_explicit(&x, memory_order_relaxed);
	atomic_store_explicit(&y, 1 + r1 * r1 - r1, memory_order_relaxed);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	int r3 = atomic_load_explicit(&y, memory_order_relaxed);
	atomic_store_explicit(&x, r3, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;

	pthread_create(&p1, NULL, t1, NULL);
	pthread_create(&p2, NULL, t2, NULL);
	return 0;
}
