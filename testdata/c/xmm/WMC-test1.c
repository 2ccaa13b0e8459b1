// WMC-test1: a store that happens either because a write was missed or because of the cycle.
//
//     z=1  ||  r=z; s=x; if(r==0||s==1){y=1}  ||  a=y; x=a
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y, z;

static void *t1(void *arg)
{
	(void)arg;
	atomic_store_explicit(&z, 1, memory_order_relaxed);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	int r = atomic_load_explicit(&z, memory_order_relaxed);
	int s = atomic_load_explicit(&x, memory_order_relaxed);
	if (r == 0 || s == 1) {
		atomic_store_explicit(&y, 1, memory_order_relaxed);
	}
	return NULL;
}

static void *t3(void *arg)
{
	(void)arg;
	int a = atomic_load_explicit(&y, memory_order_relaxed);
	atomic_store_explicit(&x, a, memory_order_relaxed);
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
