// A reader that took the pointer before the writer withdrew it, and uses it after the free.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(atomic_int *) shared;

static void *reader(void *arg)
{
	(void)arg;
	atomic_int *p = atomic_load_explicit(&shared, memory_order_acquire);
	if (p) {
		atomic_store_explicit(p, 2, memory_order_relaxed); // ERROR
	}
	return NULL;
}

static void *reclaimer(void *arg)
{
	(void)arg;
	atomic_int *p = atomic_exchange_explicit(&shared, NULL, memory_order_acq_rel);
	free(p); // RELATED
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;
	atomic_int *p = malloc(sizeof *p);

	atomic_init(p, 1);
	atomic_store_explicit(&shared, p, memory_order_release);
	pthread_create(&p1, NULL, reader, NULL);
	pthread_create(&p2, NULL, reclaimer, NULL);
	pthread_join(p1, NULL);
	pthread_join(p2, NULL);
	return 0;
}
