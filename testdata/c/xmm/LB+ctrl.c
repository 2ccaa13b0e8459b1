// LB+ctrl: true control dependencies: the stored value depends on the read, no cycle.
//
//     r=x; if(r==0){y=1} else {y=2}  ||  r=y; if(r==0){x=1} else {x=2}
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *t1(void *arg)
{
	(void)arg;
	int r = atomic_load_explicit(&x, memory_order_relaxed);
	if (r == 0) {
		atomic_store_explicit(&y, 1, memory_order_relaxed);
	} else {
		atomic_store_explicit(&y, 2, memory_order_relaxed);
	}
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	int r = atomic_load_explicit(&y, memory_order_relaxed);
	if (r == 0) {
		atomic_store_explicit(&x, 1, memory_order_relaxed);
	} else {
		atomic_store_explicit(&x, 2, memory_order_relaxed);
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
