// MPU+rels+acqf: a message through an increment, after a relaxed store that ended the release sequence.
//
//     x=1; y=0.rel; y=1  ||  FADD(y,1)  ||  r=y; if(r>1){F.acq; x=2}
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
	(void)atomic_fetch_add_explicit(&y, 1, memory_order_relaxed);
	return NULL;
}

static void *t3(void *arg)
{
	(void)arg;
	int r = atomic_load_explicit(&y, memory_order_relaxed);
	if (r > 1) {
		atomic_thread_fence(memory_order_acquire);
		atomic_store_explicit(&x, 2, memory_order_relaxed);
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
