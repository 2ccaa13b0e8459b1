// wcii: a store, a compare-and-swap from 1 and two increments.
//
//     x=5.rel  ||  CAS(x,1,2)  ||  FADD(x,1)  ||  FADD(x,1)
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *t1(void *arg)
{
	(void)arg;
	atomic_store_explicit(&x, 5, memory_order_release);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	int expected = 1;
	(void)atomic_compare_exchange_strong_explicit(&x, &expected, 2, memory_order_relaxed, memory_order_relaxed);
	return NULL;
}

static void *t3(void *arg)
{
	(void)arg;
	(void)atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
	return NULL;
}

static void *t4(void *arg)
{
	(void)arg;
	(void)atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2, p3, p4;

	pthread_create(&p1, NULL, t1, NULL);
	pthread_create(&p2, NULL, t2, NULL);
	pthread_create(&p3, NULL, t3, NULL);
	pthread_create(&p4, NULL, t4, NULL);
	return 0;
}
