// LB+coh+RR+cf: LB+coh+RR with a write that both branches make, on different conditions.
//
//     y=1  ||  r1=x; if(!r1){r2=y; if(r2==1){y=2}} else {y=2}  ||  r2=y; if(r2==2){x=1}  ||  r3=y; r4=y
//
// The threads are created in the order T2, T3, T4, T1.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *t1(void *arg)
{
	(void)arg;
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	int r1 = atomic_load_explicit(&x, memory_order_relaxed);
	if (!r1) {
		int r2 = atomic_load_explicit(&y, memory_order_relaxed);
		if (r2 == 1) {
			atomic_store_explicit(&y, 2, memory_order_relaxed);
		}
	} else {
		atomic_store_explicit(&y, 2, memory_order_relaxed);
	}
	return NULL;
}

static void *t3(void *arg)
{
	(void)arg;
	int r2 = atomic_load_explicit(&y, memory_order_relaxed);
	if (r2 == 2) {
		atomic_store_explicit(&x, 1, memory_order_relaxed);
	}
	return NULL;
}

static void *t4(void *arg)
{
	(void)arg;
	(void)atomic_load_explicit(&y, memory_order_relaxed);
	(void)atomic_load_explicit(&y, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2, p3, p4;

	pthread_create(&p2, NULL, t2, NULL);
	pthread_create(&p3, NULL, t3, NULL);
	pthread_create(&p4, NULL, t4, NULL);
	pthread_create(&p1, NULL, t1, NULL);
	return 0;
}
