// atomicpo: two exchanges of one thread are not ordered by being read-modify-writes.
//
//     y=1; F.ar; x=1  ||  a=XCHG(x,1); b=XCHG(y,1)
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *t1(void *arg)
{
	(void)arg;
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_acq_rel);
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	(void)atomic_exchange_explicit(&x, 1, memory_order_relaxed);
	(void)atomic_exchange_explicit(&y, 1, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;

	pthread_create(&p1, NULL, t1, NULL);
	pthread_create(&p2, NULL, t2, NULL);
	return 0;
}
