// LB+LB: two load-buffering cycles that share a thread.
//
//     p=a; q=b; c=1; d=1  ||  r=d; if(r){a=1}  ||  s=c; if(s){b=1}
#include <pthread.h>
#include <stdatomic.h>

static atomic_int a, b, c, d;

static void *t1(void *arg)
{
	(void)arg;
	(void)atomic_load_explicit(&a, memory_order_relaxed);
	(void)atomic_load_explicit(&b, memory_order_relaxed);
	atomic_store_explicit(&c, 1, memory_order_relaxed);
	atomic_store_explicit(&d, 1, memory_order_relaxed);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	int r = atomic_load_explicit(&d, memory_order_relaxed);
	if (r) {
		atomic_store_explicit(&a, 1, memory_order_relaxed);
	}
	return NULL;
}

static void *t3(void *arg)
{
	(void)arg;
	int s = atomic_load_explicit(&c, memory_order_relaxed);
	if (s) {
		atomic_store_explicit(&b, 1, memory_order_relaxed);
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
