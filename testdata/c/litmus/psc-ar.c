// psc-ar: sc fences and a relaxed chain: an rf edge between the fences does not synchronise.
//
//     a=y; assume(a==1); F.sc; b=z; assume(b==0)  ||  z=1; F.sc; x=1  ||  d=x; if(d==1){y=1}; assume(d==1)
#include <pthread.h>
#include <ravel.h>
#include <stdatomic.h>

static atomic_int x, y, z;

static void *t1(void *arg)
{
	(void)arg;
	int a = atomic_load_explicit(&y, memory_order_relaxed);
	__VERIFIER_assume(a == 1);
	atomic_thread_fence(memory_order_seq_cst);
	int b = atomic_load_explicit(&z, memory_order_relaxed);
	__VERIFIER_assume(b == 0);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	atomic_store_explicit(&z, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst);
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	return NULL;
}

static void *t3(void *arg)
{
	(void)arg;
	int d = atomic_load_explicit(&x, memory_order_relaxed);
	if (d == 1) {
		atomic_store_explicit(&y, 1, memory_order_relaxed);
	}
	__VERIFIER_assume(d == 1);
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
