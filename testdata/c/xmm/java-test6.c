// java-test6: Java causality test 6: a store on both branches.
//
//     r1=x; if(r1==1){y=1}  ||  r2=y; if(r2==1){x=1} else {x=1}
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *t1(void *arg)
{
	(void)arg;
	int r1 = atomic_load_explicit(&x, memory_order_relaxed);
	if (r1 == 1) {
		atomic_store_explicit(&y, 1, memory_order_relaxed);
	}
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	int r2 = atomic_load_explicit(&y, memory_order_relaxed);
	if (r2 == 1) {
		atomic_store_explicit(&x, 1, memory_order_relaxed);
	} else {
		atomic_store_explicit(&x, 1, memory_order_relaxed);
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
