// Load buffering: both loads see the other thread's store. Only models that reorder a load with a later store allow it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int a, b;

static void *left(void *arg)
{
	(void)arg;
	a = atomic_load_explicit(&x, memory_order_relaxed);
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	return NULL;
}

static void *right(void *arg)
{
	(void)arg;
	b = atomic_load_explicit(&y, memory_order_relaxed);
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t p, q;

	pthread_create(&p, NULL, left, NULL);
	pthread_create(&q, NULL, right, NULL);
	pthread_join(p, NULL);
	pthread_join(q, NULL);
	assert(a == 0 || b == 0);
	return 0;
}
