/*
 * Three threads with one function and one argument increment a counter, one after the other. Macros say what keeps them apart, and what could tell one from another.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define N 3

static int counter;
static atomic_int data;

#ifdef TICKET
static atomic_uint next, serving;
static unsigned mine_of(void) { return atomic_fetch_add_explicit(&next, 1, memory_order_relaxed); }
#define LOCK unsigned mine = mine_of(); while (atomic_load_explicit(&serving, memory_order_acquire) != mine)
#define UNLOCK atomic_store_explicit(&serving, mine + 1, memory_order_release)
#elif defined RWLOCK
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
#define LOCK pthread_rwlock_wrlock(&lock)
#define UNLOCK pthread_rwlock_unlock(&lock)
#else
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#define LOCK pthread_mutex_lock(&lock)
#define UNLOCK pthread_mutex_unlock(&lock)
#endif

#ifdef COND
static pthread_cond_t all_here = PTHREAD_COND_INITIALIZER;
#endif
#ifdef TLS
static _Thread_local int local;
static int *_Atomic last;
#endif
#ifdef HANDLES
static pthread_t threads[N];
#endif

static void *increment(void *arg)
{
#ifdef LOCAL
	int local = 0;
	static int *_Atomic last;
	atomic_store(&last, &local);
#endif
#ifdef DATA
	(void)atomic_load_explicit(&data, memory_order_relaxed);
#endif
	LOCK;
	counter++;
#ifdef PEEK
	data = *(volatile int *)&lock;
#endif
#ifdef TLS
	local++;
	atomic_store(&last, &local);
#endif
#ifdef COND
	if (counter == N)
		pthread_cond_broadcast(&all_here);
	while (counter < N)
		pthread_cond_wait(&all_here, &lock);
#endif
	UNLOCK;
#ifdef LOOK
	(void)threads[N - 1];
#endif
	return NULL;
}

int main(void)
{
#ifndef HANDLES
	pthread_t threads[N];
#endif
	for (int i = 0; i < N; i++) {
		pthread_create(&threads[i], NULL, increment, NULL);
#ifdef DATA
		atomic_store_explicit(&data, i, memory_order_relaxed);
#endif
	}
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	assert(counter == N);
	return 0;
}
