// java-test10: Java causality test 10: test 5 with conditions.
//
//     r1=x; if(r1==1){y=r1}  ||  r2=y; if(r2==1){x=r2}  ||  r3=z; if(r3==1){x=r3}  ||  z=1
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y, z;

static void *t1(void *arg)
{
	(void)arg;
	int r1 = atomic_load_explicit(&x, memory_order_relaxed);
	if (r1 == 1) {
		atomic_store_explicit(&y, r1, memory_order_relaxed);
	}
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	int r2 = atomic_load_explicit(&y, memory_order_relaxed);
	if (r2 == 1) {
		atomic_store_explicit(&x, r2, memory_order_relaxed);
	}
	return NULL;
}

static void *t3(void *arg)
{
	(void)arg;
	int r3 = atomic_load_explicit(&z, memory_order_relaxed);
	if (r3 == 1) {
		atomic_store_explicit(&x, r3, memory_order_relaxed);
	}
	return NULL;
}

static void *t4(void *arg)
{
	(void)arg;
	atomic_store_explicit(&z, 1, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2, p3, p4;

	pthread_create(&p1, NULL, t1, NULL);
	pthread_create(&p2, NULL, t2, NULL);
	pthread_create(&p3, NULL, t3, NULL);
	pthread_create(&p4, NULL, t4, NULL);
	return 0;
}
