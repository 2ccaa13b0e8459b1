// LB+coh-cyc: the cycle goes through the coherence order of two writes.
//
//     x=2; r1=x; if(r1!=2){y=1}  ||  x=1; r2=x; r3=y; if(r3){x=3}
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *t1(void *arg)
{
	(void)arg;
	atomic_store_explicit(&x, 2, memory_order_relaxed);
	int r1 = atomic_load_explicit(&x, memory_order_relaxed);
	if (r1 != 2) {
		atomic_store_explicit(&y, 1, memory_order_relaxed);
	}
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	(void)atomic_load_explicit(&x, memory_order_relaxed);
	int r3 = atomic_load_explicit(&y, memory_order_relaxed);
	if (r3) {
		atomic_store_explicit(&x, 3, memory_order_relaxed);
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
