// casdep: a compare-and-swap whose expected value was read: a dependency through the comparison.
//
//     a=x; CAS(y,a,1); z=a  ||  y=2
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y, z;

static void *t1(void *arg)
{
	(void)arg;
	int a = atomic_load_explicit(&x, memory_order_relaxed);
	(void)atomic_compare_exchange_strong_explicit(&y, &a, 1, memory_order_relaxed, memory_order_relaxed);
	atomic_store_explicit(&z, a, memory_order_relaxed);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	atomic_store_explicit(&y, 2, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;

	pthread_create(&p1, NULL, t1, NULL);
	pthread_create(&p2, NULL, t2, NULL);
	return 0;
}
