/*
 * A thread uses some data as scratch space under a mutex, in each round of a loop that waits.
 *
 * -DSHARED    main looks at the data under the mutex
 * -DBARE      main looks at it without
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int scratch;
static atomic_int ready;

static void *wait(void *arg)
{
	do {
		pthread_mutex_lock(&m);
		scratch = 1;
		scratch = 0;
		pthread_mutex_unlock(&m);
	} while (!ready);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, wait, NULL);
#ifdef SHARED
	pthread_mutex_lock(&m);
	assert(scratch == 0);
	pthread_mutex_unlock(&m);
#endif
#ifdef BARE
	assert(scratch == 0);
#endif
	ready = 1;
	pthread_join(t, NULL);
	return 0;
}
