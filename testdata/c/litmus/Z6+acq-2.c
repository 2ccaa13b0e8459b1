// Z6+acq: coherence and message passing between two sc fences: one outcome of eight is gone.
//
//     a=1; F.sc; b=1  ||  p=b.acq; c=1  ||  c=2; F.sc; q=a
//
// The threads are created in the order T3, T1, T2.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int a, b, c;

static void *t1(void *arg)
{
	(void)arg;
	atomic_store_explicit(&a, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst);
	atomic_store_explicit(&b, 1, memory_order_relaxed);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	(void)atomic_load_explicit(&b, memory_order_acquire);
	atomic_store_explicit(&c, 1, memory_order_relaxed);
	return NULL;
}

static void *t3(void *arg)
{
	(void)arg;
	atomic_store_explicit(&c, 2, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst);
	(void)atomic_load_explicit(&a, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2, p3;

	pthread_create(&p3, NULL, t3, NULL);
	pthread_create(&p1, NULL, t1, NULL);
	pthread_create(&p2, NULL, t2, NULL);
	return 0;
}
