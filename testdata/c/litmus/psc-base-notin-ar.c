// psc-base-notin-ar: sc stores ordered one way by a relaxed chain and the other way by coherence.
//
//     a=x; assume(a==2); y=1.sc  ||  y=2.sc  ||  b=y; assume(b==2); x=b
#include <pthread.h>
#include <ravel.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *t1(void *arg)
{
	(void)arg;
	int a = atomic_load_explicit(&x, memory_order_relaxed);
	__VERIFIER_assume(a == 2);
	atomic_store_explicit(&y, 1, memory_order_seq_cst);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	atomic_store_explicit(&y, 2, memory_order_seq_cst);
	return NULL;
}

static void *t3(void *arg)
{
	(void)arg;
	int b = atomic_load_explicit(&y, memory_order_relaxed);
	__VERIFIER_assume(b == 2);
	atomic_store_explicit(&x, b, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2, p3;

	pthread_create(&p1, NULL, t1, NULL);
	pthread_create(&p2, NULL, t2, NULL);
	pthread_create(&p3, NULL, t3, NULL);
	pthread_join(p1, NULL);
	pthread_join(p2, NULL);
	pthread_join(p3, NULL);
	return 0;
}
