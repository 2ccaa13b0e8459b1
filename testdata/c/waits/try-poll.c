// A thread looks under a lock until it is told. Another one tries to take the lock, once it knows that the first is done: that it then finds the lock taken, by a round that
// is over, is possible, as nothing orders the two.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int word, told, done;

static void *poll(void *arg)
{
	for (;;) {
		while (atomic_exchange_explicit(&word, 1, memory_order_acquire))
			;
		int t = atomic_load_explicit(&told, memory_order_relaxed);
		atomic_store_explicit(&word, 0, memory_order_release);
		if (t)
			break;
	}
	atomic_store_explicit(&done, 1, memory_order_relaxed);
	return 0;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, poll, 0);
	atomic_store_explicit(&told, 1, memory_order_relaxed);
	if (atomic_load_explicit(&done, memory_order_relaxed)) {
		int free = 0;
		assert(atomic_compare_exchange_strong_explicit(&word, &free, 1, memory_order_acquire, memory_order_relaxed));
	}
}
