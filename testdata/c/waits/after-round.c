// A thread goes round in a loop, leaves it, and says so. Another thread then writes or frees what the rounds have accessed. Nothing orders that, unless ORDER says so. KIND says what a round does.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef ORDER
#define SAY memory_order_release
#define HEAR memory_order_acquire
#else
#define SAY memory_order_relaxed
#define HEAR memory_order_relaxed
#endif

struct shared {
	int plain;
	atomic_int word;
};
static struct shared *shared;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int begun, ready, done, again;

static void look(void)
{
#if KIND == 0 // reads
	if (shared->plain == 7)
		abort();
#elif KIND == 1 // reads, and is atomic
	if (atomic_load_explicit(&shared->word, memory_order_relaxed) == 7)
		abort();
#elif KIND == 2 // stores what is there
	atomic_store_explicit(&shared->word, 1, memory_order_relaxed);
#elif KIND == 3 // adds 0 in all
	atomic_fetch_add_explicit(&shared->word, 1, memory_order_relaxed);
	atomic_fetch_sub_explicit(&shared->word, 1, memory_order_relaxed);
#elif KIND == 4 // looks under a lock
	pthread_mutex_lock(&mutex);
	if (shared->plain == 7)
		abort();
	pthread_mutex_unlock(&mutex);
#elif KIND == 5 // writes, and writes back what was there
	volatile int *p = &shared->plain;
	*p = 2;
	*p = 1;
#elif KIND == 6 // goes round in another loop
	while (atomic_load_explicit(&again, memory_order_relaxed))
		if (atomic_load_explicit(&shared->word, memory_order_relaxed) == 7)
			abort();
#endif
}

static void *waiter(void *arg)
{
	shared->plain = 1;
	atomic_store_explicit(&shared->word, 1, memory_order_relaxed);
	atomic_store_explicit(&begun, 1, memory_order_release);
	while (!atomic_load_explicit(&ready, memory_order_relaxed))
		look();
	atomic_store_explicit(&done, 1, SAY);
	return NULL;
}

static void *user(void *arg)
{
	if (!atomic_load_explicit(&begun, memory_order_acquire))
		return NULL;
#if KIND == 6
	atomic_store_explicit(&again, 1, memory_order_relaxed);
	atomic_store_explicit(&again, 0, memory_order_relaxed);
#endif
	atomic_store_explicit(&ready, 1, memory_order_relaxed);
	if (!atomic_load_explicit(&done, HEAR))
		return NULL;
#ifdef FREE
	free(shared);
#else
	shared->plain = 3;
#endif
	return NULL;
}

int main(void)
{
	pthread_t t, u;
	shared = calloc(1, sizeof *shared);
	pthread_create(&t, NULL, waiter, NULL);
	pthread_create(&u, NULL, user, NULL);
	pthread_join(u, NULL);
	pthread_join(t, NULL);
	return 0;
}
