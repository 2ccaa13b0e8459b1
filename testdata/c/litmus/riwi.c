// riwi: a read decides nothing, but its thread's increment may come after the other thread's.
//
//     a=y; FADD(x,1)  ||  FADD(x,1); y=1.rel
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *t1(void *arg)
{
	(void)arg;
	(void)atomic_load_explicit(&y, memory_order_relaxed);
	(void)atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	(void)atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
	atomic_store_explicit(&y, 1, memory_order_release);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;

	pthread_create(&p1, NULL, t1, NULL);
	pthread_create(&p2, NULL, t2, NULL);
	return 0;
}
