// The reader uses an object after it has cleared the hazard pointer that protected it, or without one at all.
#include <genmc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) shared;

static void *writer(void *arg)
{
	__VERIFIER_hp_retire(atomic_exchange(&shared, NULL));
	return NULL;
}

static void *reader(void *arg)
{
#ifdef NONE
	int *p = atomic_load(&shared);
#else
	__VERIFIER_hp_t *hp = __VERIFIER_hp_alloc();
	int *p = __VERIFIER_hp_protect(hp, &shared);
	if (!p || *p != 7)
		return NULL;
	__VERIFIER_hp_clear(hp);
#endif
	if (p)
		*p = 8;
	return NULL;
}

int main(void)
{
	pthread_t t, u;
	int *p = malloc(sizeof *p);
	*p = 7;
	shared = p;
	pthread_create(&t, NULL, writer, NULL);
	pthread_create(&u, NULL, reader, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
