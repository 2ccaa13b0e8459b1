// A loop that counts its rounds in memory is not the same after each of them.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int ready;

void count(long *n) { ++*n; }
void (*volatile counter)(long *) = count; // not inlined

void *waiter(void *arg)
{
	long *n = calloc(1, sizeof *n);
	while (!atomic_load_explicit(&ready, memory_order_relaxed))
		counter(n);
	assert(*n < 3);
	free(n);
	return NULL;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, waiter, NULL);
	atomic_store_explicit(&ready, 1, memory_order_relaxed);
	pthread_join(t, NULL);
	return 0;
}
