// A lock with a random delay between two attempts: how long it is makes no difference.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int word;
static int n;
static void lock(void)
{
	int limit = 8;
	while (atomic_load_explicit(&word, memory_order_relaxed) || atomic_exchange_explicit(&word, 1, memory_order_acquire)) {
		int delay = rand() % limit;
		for (volatile int i = 0; i < delay; i++) {
		}
		if (limit < 4096)
			limit *= 2;
	}
}
static void *w(void *arg)
{
	lock();
	n++;
	atomic_store_explicit(&word, 0, memory_order_release);
	return NULL;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, w, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(n == 2);
}
