/*
 * A thread reads x in each round of a loop that waits for a flag. The other one sets the flag, sees by a relaxed flag that the loop has ended, and stores to x.
 *
 * Checked: a model with load buffering lets the last round but one read that store.
 *
 * -DPLAIN    x is not atomic, for Java's models
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define load(a) atomic_load_explicit(&(a), memory_order_relaxed)
#define store(a, v) atomic_store_explicit(&(a), v, memory_order_relaxed)

static atomic_int ready, done;
#ifdef PLAIN
static int x;
#define GET x
#define SET x = 1
#else
static atomic_int x;
#define GET load(x)
#define SET store(x, 1)
#endif
static int last;

static void *wait(void *arg)
{
	int seen = 0;

	while (!load(ready))
		seen = GET;
	store(done, 1);
	last = seen;
	return arg;
}

static void *set(void *arg)
{
	store(ready, 1);
	if (load(done))
		SET;
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, wait, NULL);
	pthread_create(&b, NULL, set, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(last == 0);
	return 0;
}
