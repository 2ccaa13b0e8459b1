// LB+RR-same-loc: a store behind two different values of one location, which the other thread writes in either order.
//
//     r1=y; r2=y; if(r1==1&&r2==2){x=1}  ||  r3=x; if(r3==0){y=1; y=2} else {y=2; y=1}
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *t1(void *arg)
{
	(void)arg;
	int r1 = atomic_load_explicit(&y, memory_order_relaxed);
	int r2 = atomic_load_explicit(&y, memory_order_relaxed);
	if (r1 == 1 && r2 == 2) {
		atomic_store_explicit(&x, 1, memory_order_relaxed);
	}
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	int r3 = atomic_load_explicit(&x, memory_order_relaxed);
	if (r3 == 0) {
		atomic_store_explicit(&y, 1, memory_order_relaxed);
		atomic_store_explicit(&y, 2, memory_order_relaxed);
	} else {
		atomic_store_explicit(&y, 2, memory_order_relaxed);
		atomic_store_explicit(&y, 1, memory_order_relaxed);
	}
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;

	pthread_create(&p1, NULL, t1, NULL);
	pthread_create(&p2, NULL, t2, NULL);
	return 0;
}
