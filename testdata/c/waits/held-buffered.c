// A thread polls with a lock in its hands, but for a moment in each round, after a load that may be buffered.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int locked, ready, x, y;
static int a, b;
static void lock(void)
{
	while (atomic_exchange_explicit(&locked, 1, memory_order_acquire))
		;
}
static void unlock(void) { atomic_store_explicit(&locked, 0, memory_order_release); }
static void *poll(void *arg)
{
	a = atomic_load_explicit(&x, memory_order_relaxed);
	lock();
	while (!atomic_load_explicit(&ready, memory_order_relaxed)) {
		unlock();
		lock();
	}
	unlock();
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	return arg;
}
static void *set(void *arg)
{
	lock();
	atomic_store_explicit(&ready, 1, memory_order_relaxed);
	unlock();
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
	pthread_t t[3];
	pthread_create(&t[0], NULL, poll, NULL);
	pthread_create(&t[1], NULL, set, NULL);
	pthread_create(&t[2], NULL, buffer, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	assert(!a || !b);
}
