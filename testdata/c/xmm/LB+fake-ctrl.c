// LB+fake-ctrl: both branches store the same: the dependency is only in the syntax.
//
//     r=x; if(!r){y=1} else {y=1}  ||  r=y; if(!r){x=1} else {x=1}
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *t1(void *arg)
{
	(void)arg;
	int r = atomic_load_explicit(&x, memory_order_relaxed);
	if (!r) {
		atomic_store_explicit(&y, 1, memory_order_relaxed);
	} else {
		atomic_store_explicit(&y, 1, memory_order_relaxed);
	}
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	int r = atomic_load_explicit(&y, memory_order_relaxed);
	if (!r) {
		atomic_store_explicit(&x, 1, memory_order_relaxed);
	} else {
		atomic_store_explicit(&x, 1, memory_order_relaxed);
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
