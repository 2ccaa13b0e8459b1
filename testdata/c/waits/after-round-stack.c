// A thread looks at a variable of another one in each round of a loop, leaves it, and says so. The other thread then ends. ORDER has that wait for the rounds.
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

static _Atomic(atomic_int *) told;
static atomic_int ready, done;

static void *waiter(void *arg)
{
	atomic_int *word = atomic_load_explicit(&told, memory_order_acquire);
	if (!word)
		exit(0);
	atomic_store_explicit(&ready, 1, memory_order_relaxed);
	while (atomic_load_explicit(&ready, memory_order_relaxed) != 2)
		if (atomic_load_explicit(word, memory_order_relaxed) == 7)
			abort();
	atomic_store_explicit(&done, 1, SAY);
	return NULL;
}

static void *owner(void *arg)
{
	atomic_int word = 0;
	atomic_store_explicit(&told, &word, memory_order_release);
	while (atomic_load_explicit(&ready, memory_order_relaxed) != 1)
		;
	atomic_store_explicit(&ready, 2, memory_order_relaxed);
	while (!atomic_load_explicit(&done, HEAR))
		;
	return NULL;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, NULL, waiter, NULL);
	pthread_create(&u, NULL, owner, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
