// java-test14: Java causality test 14: the loop ends only after the other thread stored something.
//
//     T1: r1=x; if(r1==0){y=1.sc} else {z=1}
//     T2: do { r2=y.sc; r3=z } while (r2+r3==0); x=1
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y, z;

static void *t1(void *arg)
{
	(void)arg;
	int r1 = atomic_load_explicit(&x, memory_order_relaxed);
	if (r1 == 0) {
		atomic_store_explicit(&y, 1, memory_order_seq_cst);
	} else {
		atomic_store_explicit(&z, 1, memory_order_relaxed);
	}
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	int r2, r3;
	do {
		r2 = atomic_load_explicit(&y, memory_order_seq_cst);
		r3 = atomic_load_explicit(&z, memory_order_relaxed);
	} while (r2 + r3 == 0);
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;

	pthread_create(&p1, NULL, t1, NULL);
	pthread_create(&p2, NULL, t2, NULL);
	return 0;
}
