// detour: a thread overwrites, and then reads what another thread wrote over it.
//
//     x=1  ||  a=z; x=a-1; b=x; y=b  ||  c=y; z=c
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y, z;

static void *t1(void *arg)
{
	(void)arg;
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	int a = atomic_load_explicit(&z, memory_order_relaxed);
	atomic_store_explicit(&x, a - 1, memory_order_relaxed);
	int b = atomic_load_explicit(&x, memory_order_relaxed);
	atomic_store_explicit(&y, b, memory_order_relaxed);
	return NULL;
}

static void *t3(void *arg)
{
	(void)arg;
	int c = atomic_load_explicit(&y, memory_order_relaxed);
	atomic_store_explicit(&z, c, memory_order_relaxed);
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
