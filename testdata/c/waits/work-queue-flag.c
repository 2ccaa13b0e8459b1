// A work queue that is polled under a spin lock. The flag that ends it is outside of the lock and relaxed: the lock does not order the load of the flag before the section, nor does what comes after the
// section wait for the load. No thread stores to the flag before it has had the lock, so there are no cycles in po ∪ rf.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#ifndef N
#define N 3
#endif
static atomic_int word, closed;
static int count, sum;
static void lock(void)
{
	while (atomic_exchange_explicit(&word, 1, memory_order_acquire))
		;
}
static void unlock(void)
{
#ifdef EXCHANGE
	atomic_exchange_explicit(&word, 0, memory_order_release);
#else
	atomic_store_explicit(&word, 0, memory_order_release);
#endif
}
static void *work(void *arg)
{
	for (;;) {
		int over = atomic_load_explicit(&closed, memory_order_relaxed);
		lock();
		if (count) {
			sum += count--;
			over = 0;
		}
		unlock();
		if (over) break;
	}
	return NULL;
}
int main(void)
{
	pthread_t t[N];
	for (int i = 1; i < N; i++) pthread_create(&t[i], NULL, work, NULL);
	for (int i = 1; i < N; i++) {
		lock();
		count++;
		unlock();
	}
	atomic_store_explicit(&closed, 1, memory_order_relaxed);
	for (int i = 1; i < N; i++) pthread_join(t[i], NULL);
	assert(sum >= N - 1);
}
