// A thread that comes early leaves its first loop and waits in the next one for ever. One that comes late is told to return.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int state, never;
static int limit;

static void *waits(void *arg)
{
	for (;;) {
		int s = atomic_load_explicit(&state, memory_order_acquire);
		if (s == 2)
			return arg;
		if (s <= limit)
			break;
	}
	while (atomic_load_explicit(&never, memory_order_relaxed) <= limit)
		;
	return arg;
}

static void *tells(void *arg)
{
	atomic_store_explicit(&state, 1, memory_order_release);
	atomic_store_explicit(&state, 2, memory_order_release);
	return arg;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, NULL, waits, NULL);
	pthread_create(&u, NULL, tells, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
}
