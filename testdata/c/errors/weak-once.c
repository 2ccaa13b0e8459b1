// A weak compare-and-swap that is tried once may fail although nobody else is there (C11 7.17.7.4): what follows must not rely on it.
// RETRY tries until it succeeds, which is right.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int owner, ready;
static int failed;

static void *take(void *arg)
{
	int nobody = 0;
#ifdef RETRY
	while (!atomic_compare_exchange_weak(&owner, &nobody, 1))
		;
#else
	if (!atomic_compare_exchange_weak(&owner, &nobody, 1))
		failed = 1;
#endif
	atomic_store(&ready, 1);
	return NULL;
}

static void *look(void *arg)
{
	atomic_load(&ready);
	return NULL;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, take, NULL);
	pthread_create(&b, NULL, look, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(!failed);
#ifdef LATE
	int one = 1;
	assert(atomic_compare_exchange_weak(&owner, &one, 2));
#endif
	return 0;
}
