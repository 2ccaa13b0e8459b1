/*
 * Store buffering with a seq_cst store of a variable between that only its thread sees. The store is a locked
 * instruction on x86, so it drains the buffer: one of the threads reads 1. With -DARRAY the variable is an
 * element of an array, with a computed index.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int a, b;

static void order(void)
{
#ifdef ARRAY
	atomic_int own[2];

	for (int i = 0; i < 2; i++)
		atomic_store(&own[i], 1);
#else
	atomic_int own;

	atomic_store(&own, 1);
#endif
}

static void *left(void *arg)
{
	(void)arg;
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	order();
	a = atomic_load_explicit(&y, memory_order_relaxed);
	return 0;
}

static void *right(void *arg)
{
	(void)arg;
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	order();
	b = atomic_load_explicit(&x, memory_order_relaxed);
	return 0;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, 0, left, 0);
	pthread_create(&u, 0, right, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	assert(a || b);
	return 0;
}
