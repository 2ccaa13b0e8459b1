// Store buffering: both threads may read 0 under rc11, never under sc.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int a, b;

static void *t1(void *arg)
{
	(void)arg;
	atomic_store_explicit(&x, 1, memory_order_release);
	a = atomic_load_explicit(&y, memory_order_acquire);
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	atomic_store_explicit(&y, 1, memory_order_release);
	b = atomic_load_explicit(&x, memory_order_acquire);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;

	pthread_create(&p1, NULL, t1, NULL);
	pthread_create(&p2, NULL, t2, NULL);
	pthread_join(p1, NULL);
	pthread_join(p2, NULL);
	assert(a == 1 || b == 1); // ERROR
	return 0;
}
