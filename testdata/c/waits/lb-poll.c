// Load buffering, and polling under a lock.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y, word;
static int items, got, r, s;
static void lock(void) { while (atomic_exchange_explicit(&word, 1, memory_order_acquire)) ; }
static void unlock(void) { atomic_store_explicit(&word, 0, memory_order_release); }
static void *cons(void *u)
{
	r = atomic_load_explicit(&x, memory_order_relaxed);
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	for (;;) {
		lock();
		if (items) { items--; got++; unlock(); return 0; }
		unlock();
	}
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, cons, 0);
	s = atomic_load_explicit(&y, memory_order_relaxed);
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	lock(); items++; unlock();
	pthread_join(t, 0);
#ifdef BUFFERED
	assert(!(r && s));
#endif
	assert(got == 1);
}
