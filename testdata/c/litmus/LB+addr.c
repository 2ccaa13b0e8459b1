// LB+addr: load buffering with an address dependency: the first load picks what the second one reads.
//
//     a=x; b=y[a]; y[0]=1  ||  r=y[0]; x=r.rel
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y[2];

static void *t1(void *arg)
{
	(void)arg;
	int a = atomic_load_explicit(&x, memory_order_relaxed);
	(void)atomic_load_explicit(&y[a], memory_order_relaxed);
	atomic_store_explicit(&y[0], 1, memory_order_relaxed);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	int r = atomic_load_explicit(&y[0], memory_order_relaxed);
	atomic_store_explicit(&x, r, memory_order_release);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;

	pthread_create(&p1, NULL, t1, NULL);
	pthread_create(&p2, NULL, t2, NULL);
	return 0;
}
