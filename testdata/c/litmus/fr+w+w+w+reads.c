// fr+w+w+w+reads: three writers and four reads in a row.
//
//     x=1  ||  x=2  ||  x=3  ||  a=x; b=x; c=x; d=x
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *t1(void *arg)
{
	(void)arg;
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	atomic_store_explicit(&x, 2, memory_order_relaxed);
	return NULL;
}

static void *t3(void *arg)
{
	(void)arg;
	atomic_store_explicit(&x, 3, memory_order_relaxed);
	return NULL;
}

static void *t4(void *arg)
{
	(void)arg;
	(void)atomic_load_explicit(&x, memory_order_relaxed);
	(void)atomic_load_explicit(&x, memory_order_relaxed);
	(void)atomic_load_explicit(&x, memory_order_relaxed);
	(void)atomic_load_explicit(&x, memory_order_relaxed);
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
