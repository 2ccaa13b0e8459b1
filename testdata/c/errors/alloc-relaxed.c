// The pointer comes through a relaxed load, so the allocation does not happen before the access.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) shared;

static void *maker(void *arg)
{
	int *p = malloc(sizeof *p); // RELATED
	atomic_store_explicit(&shared, p, memory_order_release);
	return NULL;
}

static void *user(void *arg)
{
	int *p = atomic_load_explicit(&shared, LOAD);
	if (p)
		*p = 1; // ERROR
	return NULL;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, NULL, maker, NULL);
	pthread_create(&u, NULL, user, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	free(shared);
	return 0;
}
