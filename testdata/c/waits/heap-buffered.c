// A thread polls with data on the heap that it frees in each round, after a load that may be buffered.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int ready, x, y;
static int a, b;
static void *poll(void *arg)
{
	a = atomic_load_explicit(&x, memory_order_relaxed);
	while (!atomic_load_explicit(&ready, memory_order_relaxed)) {
		int *copy = malloc(sizeof *copy);
		*copy = 1;
		free(copy);
	}
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	return arg;
}
static void *buffer(void *arg)
{
	b = atomic_load_explicit(&y, memory_order_relaxed);
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	return arg;
}
int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, poll, NULL);
	pthread_create(&t[1], NULL, buffer, NULL);
	atomic_store_explicit(&ready, 1, memory_order_relaxed);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(!a || !b);
}
