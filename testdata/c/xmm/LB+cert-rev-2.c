// LB+cert-rev: the second read proves which branch the first thread took.
//
//     r1=x; if(!r1){y=1} else {z=1; y=1}  ||  r2=y; r3=z; if(r2){x=1}
//
// The threads are created in the order T2, T1.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y, z;

static void *t1(void *arg)
{
	(void)arg;
	int r1 = atomic_load_explicit(&x, memory_order_relaxed);
	if (!r1) {
		atomic_store_explicit(&y, 1, memory_order_relaxed);
	} else {
		atomic_store_explicit(&z, 1, memory_order_relaxed);
		atomic_store_explicit(&y, 1, memory_order_relaxed);
	}
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	int r2 = atomic_load_explicit(&y, memory_order_relaxed);
	(void)atomic_load_explicit(&z, memory_order_relaxed);
	if (r2) {
		atomic_store_explicit(&x, 1, memory_order_relaxed);
	}
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;

	pthread_create(&p2, NULL, t2, NULL);
	pthread_create(&p1, NULL, t1, NULL);
	return 0;
}
