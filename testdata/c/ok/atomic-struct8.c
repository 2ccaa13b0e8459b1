// An atomic struct of eight bytes is read and written whole.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct pair {
	int a, b;
};

static _Atomic struct pair shared;

static void *write(void *arg)
{
	(void)arg;
	struct pair p = {1, 2};

	atomic_store_explicit(&shared, p, memory_order_relaxed);
	return NULL;
}

static void *read(void *arg)
{
	(void)arg;
	struct pair p = atomic_load_explicit(&shared, memory_order_relaxed);

	assert((p.a == 0 && p.b == 0) || (p.a == 1 && p.b == 2));
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;

	pthread_create(&p1, NULL, write, NULL);
	pthread_create(&p2, NULL, read, NULL);
	pthread_join(p1, NULL);
	pthread_join(p2, NULL);
	return 0;
}
