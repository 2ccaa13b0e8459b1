// psc-sbhbsb: two sc stores and an acquire read of the first: the second need not be seen.
//
//     x=1.sc; y=1.sc  ||  a=x.acq; assume(a==1); b=y.sc; assume(b==0)
#include <pthread.h>
#include <ravel.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *t1(void *arg)
{
	(void)arg;
	atomic_store_explicit(&x, 1, memory_order_seq_cst);
	atomic_store_explicit(&y, 1, memory_order_seq_cst);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	int a = atomic_load_explicit(&x, memory_order_acquire);
	__VERIFIER_assume(a == 1);
	int b = atomic_load_explicit(&y, memory_order_seq_cst);
	__VERIFIER_assume(b == 0);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;

	pthread_create(&p1, NULL, t1, NULL);
	pthread_create(&p2, NULL, t2, NULL);
	pthread_join(p1, NULL);
	pthread_join(p2, NULL);
	return 0;
}
