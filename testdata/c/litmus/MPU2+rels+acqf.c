// MPU2+rels+acqf: a message through two compare-and-swaps, after a relaxed store that ended the release sequence.
//
//     x=1; y=0.rel; y=1  ||  CAS(y,2,3)  ||  CAS(y,1,2)  ||  r=y; if(r>2){F.acq; x=2}
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *t1(void *arg)
{
	(void)arg;
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	atomic_store_explicit(&y, 0, memory_order_release);
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	int expected = 2;
	(void)atomic_compare_exchange_strong_explicit(&y, &expected, 3, memory_order_relaxed, memory_order_relaxed);
	return NULL;
}

static void *t3(void *arg)
{
	(void)arg;
	int expected = 1;
	(void)atomic_compare_exchange_strong_explicit(&y, &expected, 2, memory_order_relaxed, memory_order_relaxed);
	return NULL;
}

static void *t4(void *arg)
{
	(void)arg;
	int r = atomic_load_explicit(&y, memory_order_relaxed);
	if (r > 2) {
		atomic_thread_fence(memory_order_acquire);
		atomic_store_explicit(&x, 2, memory_order_relaxed);
	}
	return NULL;
}

int main(void)
{
	pthread_t p1, p2, p3, p4;

	pthread_create(&p1, NULL, t1, NULL);
	pthread_create(&p2, NULL, t2, NULL);
	pthread_create(&p3, NULL, t3, NULL);
	pthread_create(&p4, NULL, t4, NULL);
	return 0;
}
