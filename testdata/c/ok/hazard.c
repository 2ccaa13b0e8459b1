// A stack of one object under hazard pointers. The writer retires what it has unlinked, so whatever the reader protects
// is safe to use.
#include <assert.h>
#include <genmc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) top;

static void *writer(void *arg)
{
	int *p = atomic_exchange(&top, NULL);
	__VERIFIER_hp_retire(p);
	return NULL;
}

static void *reader(void *arg)
{
	__VERIFIER_hp_t *hp = __VERIFIER_hp_alloc();
	int *p = __VERIFIER_hp_protect(hp, &top);
	if (p)
		assert(*p == 42);
	__VERIFIER_hp_free(hp);
	return NULL;
}

int main(void)
{
	pthread_t t, u;
	int *p = malloc(sizeof *p);
	*p = 42;
	top = p;
	pthread_create(&t, NULL, writer, NULL);
	pthread_create(&u, NULL, reader, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
