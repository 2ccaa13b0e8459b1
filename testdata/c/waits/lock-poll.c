// Two threads meet: each adds 1 under a lock, then looks under the lock until both have. LOCK says which lock: 0 an exchange, 1 a compare-and-swap
// that may fail spuriously, 2 a mutex, 3 a count that is given back. TRY has main try to take the mutex first.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef LOCK
#define LOCK 0
#endif
#ifndef RELEASE
#define RELEASE memory_order_release
#endif
#ifndef THREADS
#define THREADS 2
#endif

static int arrived;

#if LOCK == 0
static atomic_int word;
static void lock(void)
{
	while (atomic_exchange_explicit(&word, 1, memory_order_acquire))
		while (atomic_load_explicit(&word, memory_order_relaxed))
			;
}
static void unlock(void) { atomic_store_explicit(&word, 0, RELEASE); }
#elif LOCK == 1
static atomic_int word;
static void lock(void)
{
	int free = 0;
	while (!atomic_compare_exchange_weak_explicit(&word, &free, 1, memory_order_acquire, memory_order_relaxed))
		free = 0;
}
static void unlock(void) { atomic_store_explicit(&word, 0, RELEASE); }
#elif LOCK == 2
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void lock(void) { pthread_mutex_lock(&mutex); }
static void unlock(void) { pthread_mutex_unlock(&mutex); }
#else
static atomic_int word;
static void lock(void)
{
	while (atomic_fetch_add_explicit(&word, 1, memory_order_acquire) != 0)
		atomic_fetch_sub_explicit(&word, 1, memory_order_relaxed);
}
static void unlock(void) { atomic_fetch_sub_explicit(&word, 1, RELEASE); }
#endif

static void *meet(void *arg)
{
	lock();
	arrived++;
	unlock();
	for (;;) {
		lock();
		int n = arrived;
		unlock();
		if (n >= THREADS)
			break;
	}
	return 0;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, meet, 0);
#ifdef TRY
	if (pthread_mutex_trylock(&mutex) == 0)
		pthread_mutex_unlock(&mutex);
#endif
#ifndef ALONE
	meet(0);
#endif
	pthread_join(t, 0);
	assert(arrived == THREADS);
}
