// An object freed by two threads: both found the pointer before either cleared it.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) shared;

static void *t1(void *arg)
{
	(void)arg;
	int *p = atomic_load(&shared);
	if (p) {
		free(p); // RELATED
		atomic_store(&shared, NULL);
	}
	return NULL;
}

static void *t2(void *arg)
{
	(void)arg;
	int *p = atomic_load(&shared);
	if (p) {
		free(p); // ERROR
		atomic_store(&shared, NULL);
	}
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;

	atomic_store(&shared, malloc(sizeof(int)));
	pthread_create(&p1, NULL, t1, NULL);
	pthread_create(&p2, NULL, t2, NULL);
	pthread_join(p1, NULL);
	pthread_join(p2, NULL);
	return 0;
}
