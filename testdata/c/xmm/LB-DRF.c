// LB-DRF: a store that both branches can reach, one of them only through the cycle.
//
//     r1=z; if(!r1){y=1} else {r2=x; if(r2){y=1}}  ||  r3=y; if(r3){x=1}  ||  z=1
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y, z;

static void *t1(void *arg)
{
	(void)arg;
	int r1 = atomic_load_explicit(&z, memory_order_relaxed);
	if (!r1) {
		atomic_store_explicit(&y, 1, memory_order_relaxed);
	} else {
		int r2 = atomic_load_explicit(&x, memory_order_relaxed);
		if (r2) {
			atomic_store_explicit(&y, 1, memory_order_relaxed);
		}
	}
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	int r3 = atomic_load_explicit(&y, memory_order_relaxed);
	if (r3) {
		atomic_store_explicit(&x, 1, memory_order_relaxed);
	}
	return NULL;
}

static void *t3(void *arg)
{
	(void)arg;
	atomic_store_explicit(&z, 1, memory_order_relaxed);
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
