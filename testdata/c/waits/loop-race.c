/*
 * A thread writes plain data in each round of a loop, and leaves it as it was.
 *
 * Checked: who has heard of what came before the loop, but sees that it has ended by a relaxed flag, races with what was written in the loop.
 *
 * -DORDERED    the flag releases and acquires
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifdef ORDERED
#define RELEASE memory_order_release
#define ACQUIRE memory_order_acquire
#else
#define RELEASE memory_order_relaxed
#define ACQUIRE memory_order_relaxed
#endif

static int x, seen;
static atomic_int begun, ready, done;

static void *writer(void *arg)
{
	x = 1;
	atomic_store_explicit(&begun, 1, memory_order_release);
	while (!atomic_load_explicit(&ready, memory_order_relaxed)) {
		x = 2;
		x = 1;
	}
	atomic_store_explicit(&done, 1, RELEASE);
	return arg;
}

static void *reader(void *arg)
{
	if (!atomic_load_explicit(&begun, memory_order_acquire))
		return arg;
	atomic_store_explicit(&ready, 1, memory_order_relaxed);
	if (atomic_load_explicit(&done, ACQUIRE))
		seen = x;
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, writer, NULL);
	pthread_create(&b, NULL, reader, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
