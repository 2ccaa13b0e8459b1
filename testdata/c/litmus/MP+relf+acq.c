// MP+relf+acq: plain data passed by a release fence and an acquire load: no race.
//
//     x=1.na; F.rel; y=1  ||  r=y.acq; if(r){a=x.na; assert(a==1)}
#include <assert.h>
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
	int r = atomic_load_explicit(&y, memory_order_acquire);
	if (r) {
		int a = x;
		assert(a == 1);
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
