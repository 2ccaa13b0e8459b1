// rfi-preserved: a thread reads back its own release store and passes the value on.
//
//     a=x; y=1.rel; b=y; z=b  ||  c=z; x=c
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y, z;

static void *t1(void *arg)
{
	(void)arg;
	(void)atomic_load_explicit(&x, memory_order_relaxed);
	atomic_store_explicit(&y, 1, memory_order_release);
	int b = atomic_load_explicit(&y, memory_order_relaxed);
	atomic_store_explicit(&z, b, memory_order_relaxed);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	int c = atomic_load_explicit(&z, memory_order_relaxed);
	atomic_store_explicit(&x, c, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;

	pthread_create(&p1, NULL, t1, NULL);
	pthread_create(&p2, NULL, t2, NULL);
	return 0;
}
