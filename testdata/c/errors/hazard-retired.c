// The writer retires an object that readers still find: a hazard pointer that is set later comes too late.
#include <genmc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) shared;

static void *writer(void *arg)
{
	__VERIFIER_hp_retire(atomic_load(&shared));
	return NULL;
}

static void *reader(void *arg)
{
	__VERIFIER_hp_t *hp = __VERIFIER_hp_alloc();
	int *p = __VERIFIER_hp_protect(hp, &shared);
	int v = *p;
	__VERIFIER_hp_free(hp);
	return (void *)(long)v;
}

int main(void)
{
	pthread_t t, u;
	shared = calloc(1, sizeof(int));
	pthread_create(&t, NULL, writer, NULL);
	pthread_create(&u, NULL, reader, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
