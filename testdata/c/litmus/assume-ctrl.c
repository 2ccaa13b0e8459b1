// assume-ctrl: an assumption orders like a branch: what follows it depends on the reads in it.
//
//     a=y; b=0; if(a>=2){b=y}; assume(a<2||b>3); x=1  ||  c=x; assume(c<3); y=3; F.sc; y=4
#include <pthread.h>
#include <ravel.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *t1(void *arg)
{
	(void)arg;
	int a = atomic_load_explicit(&y, memory_order_relaxed);
	int b = 0;
	if (a >= 2) {
		b = atomic_load_explicit(&y, memory_order_relaxed);
	}
	__VERIFIER_assume(a < 2 || b > 3);
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	int c = atomic_load_explicit(&x, memory_order_relaxed);
	__VERIFIER_assume(c < 3);
	atomic_store_explicit(&y, 3, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst);
	atomic_store_explicit(&y, 4, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;

	pthread_create(&p1, NULL, t1, NULL);
	pthread_create(&p2, NULL, t2, NULL);
	return 0;
}
