// ori: an increment, a compare-and-swap and a store that happens only after the increment.
//
//     FADD(x,1); y=1.rel  ||  CAS(x,0,1).acq  ||  r=y; if(r){x=4.rel}
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *t1(void *arg)
{
	(void)arg;
	(void)atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
	atomic_store_explicit(&y, 1, memory_order_release);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	int expected = 0;
	(void)atomic_compare_exchange_strong_explicit(&x, &expected, 1, memory_order_acquire, memory_order_acquire);
	return NULL;
}

static void *t3(void *arg)
{
	(void)arg;
	int r = atomic_load_explicit(&y, memory_order_relaxed);
	if (r) {
		atomic_store_explicit(&x, 4, memory_order_release);
	}
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
