// A loop that waits for one place and looks at another one, which another thread changes or ends before it lets the loop go on. The last round does not look at it.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int state;
static int limit = 2, *at = &limit;
static _Thread_local int own = 2;
static _Atomic(int *) told = &limit;

static void *waits(void *arg)
{
	int *p = at;
#ifdef OWN
	while ((p = atomic_load_explicit(&told, memory_order_acquire)) == &limit)
		;
#endif
	for (;;) {
		int s = atomic_load_explicit(&state, memory_order_acquire);
		if (s == 3 || s >= *p)
			return arg;
	}
}

static void *ends(void *arg)
{
#if defined(FREES)
	free(at);
#elif defined(OWN)
	atomic_store_explicit(&told, &own, memory_order_release);
#else
	limit = 5;
#endif
	atomic_store_explicit(&state, 3, memory_order_release);
	return arg;
}

int main(void)
{
	pthread_t t, u;
#ifdef FREES
	at = malloc(sizeof *at);
	*at = 2;
#endif
	pthread_create(&t, NULL, waits, NULL);
	pthread_create(&u, NULL, ends, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
}
