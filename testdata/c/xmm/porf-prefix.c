// porf-prefix: which value is stored depends on two reads that are both always done.
//
//     r=x; z=r; y=1  ||  r2=y; r3=z; if(r3==1&&r2){x=42} else {x=1}
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y, z;

static void *t1(void *arg)
{
	(void)arg;
	int r = atomic_load_explicit(&x, memory_order_relaxed);
	atomic_store_explicit(&z, r, memory_order_relaxed);
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	int r2 = atomic_load_explicit(&y, memory_order_relaxed);
	int r3 = atomic_load_explicit(&z, memory_order_relaxed);
	if (r3 == 1 && r2) {
		atomic_store_explicit(&x, 42, memory_order_relaxed);
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
