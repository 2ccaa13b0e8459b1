// TC2: a store behind the equality of two reads of one location.
//
//     a=x; b=x; if(a==b){y=1}  ||  c=y; x=c
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *t1(void *arg)
{
	(void)arg;
	int a = atomic_load_explicit(&x, memory_order_relaxed);
	int b = atomic_load_explicit(&x, memory_order_relaxed);
	if (a == b) {
		atomic_store_explicit(&y, 1, memory_order_relaxed);
	}
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	int c = atomic_load_explicit(&y, memory_order_relaxed);
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
