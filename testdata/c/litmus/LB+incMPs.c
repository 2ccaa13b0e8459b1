// LB+incMPs: a load-buffering cycle closed through two pairs of increments.
//
//     T1: a=x.acq; FADD(z,1).ar
//     T2: FADD(z,1).ar; y=1.rel
//     T3: b=y.acq; FADD(w,1).ar
//     T4: FADD(w,1).ar; x=1.rel
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y, w, z;

static void *t1(void *arg)
{
	(void)arg;
	(void)atomic_load_explicit(&x, memory_order_acquire);
	(void)atomic_fetch_add_explicit(&z, 1, memory_order_acq_rel);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	(void)atomic_fetch_add_explicit(&z, 1, memory_order_acq_rel);
	atomic_store_explicit(&y, 1, memory_order_release);
	return NULL;
}

static void *t3(void *arg)
{
	(void)arg;
	(void)atomic_load_explicit(&y, memory_order_acquire);
	(void)atomic_fetch_add_explicit(&w, 1, memory_order_acq_rel);
	return NULL;
}

static void *t4(void *arg)
{
	(void)arg;
	(void)atomic_fetch_add_explicit(&w, 1, memory_order_acq_rel);
	atomic_store_explicit(&x, 1, memory_order_release);
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
