// S+rel+acqf: plain data written, handed over and written again: no race.
//
//     x=1.na; y=1.rel  ||  r=y; if(r){F.acq; x=2.na}
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
	int r = atomic_load_explicit(&y, memory_order_relaxed);
	if (r) {
		atomic_thread_fence(memory_order_acquire);
		x = 2;
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
