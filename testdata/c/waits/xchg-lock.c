// A lock as cppreference has it: exchange, and while it is taken, look at it until it seems to be free. Each of N threads adds 1 to a counter; with MEET, each then looks under the lock until all have.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 4
#endif
#ifndef ORDER
#define ORDER memory_order_acquire
#endif

static atomic_int word;
static int counter;

static void lock(void)
{
	while (atomic_exchange_explicit(&word, 1, ORDER))
		while (atomic_load_explicit(&word, memory_order_relaxed))
			;
}
static void unlock(void) { atomic_store_explicit(&word, 0, memory_order_release); }

static void *work(void *arg)
{
	lock();
	counter++;
	unlock();
#ifdef MEET
	for (int all = 0; !all;) {
		lock();
		all = counter == N;
		unlock();
	}
#endif
	return 0;
}

int main(void)
{
	pthread_t t[N];
	for (int i = 0; i < N; i++)
		pthread_create(&t[i], 0, work, 0);
	for (int i = 0; i < N; i++)
		pthread_join(t[i], 0);
	assert(counter == N);
}
