// W+RRR+W: two writers and three reads in a row: they never see 1, 2, 1.
//
//     x=1  ||  a=x; b=x; c=x; assert(!(a==1&&b==2&&c==1))  ||  x=2
#include <assert.h>
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
	int a = atomic_load_explicit(&x, memory_order_relaxed);
	int b = atomic_load_explicit(&x, memory_order_relaxed);
	int c = atomic_load_explicit(&x, memory_order_relaxed);
	assert(!(a == 1 && b == 2 && c == 1));
	return NULL;
}

static void *t3(void *arg)
{
	(void)arg;
	atomic_store_explicit(&x, 2, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2, p3;

	pthread_create(&p1, NULL, t1, NULL);
	pthread_create(&p2, NULL, t2, NULL);
	pthread_create(&p3, NULL, t3, NULL);
	return 0;
}
