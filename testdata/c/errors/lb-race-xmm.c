// The two plain stores race only in the execution with a cycle.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int data;

static void *left(void *arg)
{
	(void)arg;
	int a = atomic_load_explicit(&x, memory_order_relaxed);
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	if (a) {
		data = 1;
	}
	return NULL;
}

static void *right(void *arg)
{
	(void)arg;
	int b = atomic_load_explicit(&y, memory_order_relaxed);
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	if (b) {
		data = 2;
	}
	return NULL;
}

int main(void)
{
	pthread_t p, q;

	pthread_create(&p, NULL, left, NULL);
	pthread_create(&q, NULL, right, NULL);
	return 0;
}
