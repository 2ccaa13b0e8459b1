// java-test15: Java causality test 15: test 14 where the branch depends on one more location.
//
//     T1: r0=x.sc; r1=0; if(r0==1){r1=a}; if(r1==0){y=1.sc} else {b=1}
//     T2: do { r2=y.sc; r3=b } while (r2+r3==0); a=1
//     T3: x=1.sc
#include <pthread.h>
#include <stdatomic.h>

static atomic_int a, b, x, y;

static void *t1(void *arg)
{
	(void)arg;
	int r0 = atomic_load_explicit(&x, memory_order_seq_cst);
	int r1 = 0;
	if (r0 == 1) {
		r1 = atomic_load_explicit(&a, memory_order_relaxed);
	}
	if (r1 == 0) {
		atomic_store_explicit(&y, 1, memory_order_seq_cst);
	} else {
		atomic_store_explicit(&b, 1, memory_order_relaxed);
	}
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	int r2, r3;
	do {
		r2 = atomic_load_explicit(&y, memory_order_seq_cst);
		r3 = atomic_load_explicit(&b, memory_order_relaxed);
	} while (r2 + r3 == 0);
	atomic_store_explicit(&a, 1, memory_order_relaxed);
	return NULL;
}

static void *t3(void *arg)
{
	(void)arg;
	atomic_store_explicit(&x, 1, memory_order_seq_cst);
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
