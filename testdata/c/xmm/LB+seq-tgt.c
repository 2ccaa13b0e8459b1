// LB+seq-tgt: LB+seq with the first two threads run one after the other.
//
//     a=x; if(a==0){x=1}; r=x; y=r  ||  r=y; x=r
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *t1(void *arg)
{
	(void)arg;
	int a = atomic_load_explicit(&x, memory_order_relaxed);
	if (a == 0) {
		atomic_store_explicit(&x, 1, memory_order_relaxed);
	}
	int r = atomic_load_explicit(&x, memory_order_relaxed);
	atomic_store_explicit(&y, r, memory_order_relaxed);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	int r = atomic_load_explicit(&y, memory_order_relaxed);
	atomic_store_explicit(&x, r, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;

	pthread_create(&p1, NULL, t1, NULL);
	pthread_create(&p2, NULL, t2, NULL);
	return 0;
}
