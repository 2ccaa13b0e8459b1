// WWR+2WR: sc accesses in three threads: the assumptions together contradict the order of sc events.
//
//     T1: x=1.sc; y=1.sc; a=z.sc; assume(a==0)
//     T2: z=1.sc; b=y.sc; assume(b==2)
//     T3: y=2.sc; c=x.sc; assume(c==0)
#include <pthread.h>
#include <ravel.h>
#include <stdatomic.h>

static atomic_int x, y, z;

static void *t1(void *arg)
{
	(void)arg;
	atomic_store_explicit(&x, 1, memory_order_seq_cst);
	atomic_store_explicit(&y, 1, memory_order_seq_cst);
	int a = atomic_load_explicit(&z, memory_order_seq_cst);
	__VERIFIER_assume(a == 0);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	atomic_store_explicit(&z, 1, memory_order_seq_cst);
	int b = atomic_load_explicit(&y, memory_order_seq_cst);
	__VERIFIER_assume(b == 2);
	return NULL;
}

static void *t3(void *arg)
{
	(void)arg;
	atomic_store_explicit(&y, 2, memory_order_seq_cst);
	int c = atomic_load_explicit(&x, memory_order_seq_cst);
	__VERIFIER_assume(c == 0);
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
