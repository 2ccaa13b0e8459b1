// MPU2+rel+acqf: plain data passed through two compare-and-swaps of two threads: no race.
//
//     x=1.na; y=1.rel  ||  CAS(y,2,3)  ||  CAS(y,1,2)  ||  r=y; if(r>2){F.acq; x=2.na}
#include <pthread.h>
#include <stdatomic.h>

static int x;
static atomic_int y;

static void *t1(void *arg)
{
	(void)arg;
	x = 1;
	atomic_store_explicit(&y, 1, memory_order_release);
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
		x = 2;
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
