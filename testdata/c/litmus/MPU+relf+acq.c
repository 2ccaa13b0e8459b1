// MPU+relf+acq: plain data passed through an increment of another thread, which continues the release sequence: no race.
//
//     x=1.na; F.rel; y=1  ||  FADD(y,1)  ||  r=y.acq; if(r>1){x=2.na}
#include <pthread.h>
#include <stdatomic.h>

static int x;
static atomic_int y;

static void *t1(void *arg)
{
	(void)arg;
	x = 1;
	atomic_thread_fence(memory_order_release);
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
	int r = atomic_load_explicit(&y, memory_order_acquire);
	if (r > 1) {
		x = 2;
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
