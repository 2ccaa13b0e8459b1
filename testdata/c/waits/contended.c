// A thread that finds the mutex held, and locks it then, counts that. The other one may hold it only to wait for a signal.
//
// -DLOOP    it tries until it has the mutex
// -DKNOWN   it tries only once the other one has begun to wait
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready, waiting, contended;

static void *wait(void *arg)
{
	pthread_mutex_lock(&m);
	waiting = 1;
	while (!ready)
		pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	return arg;
}

static void *wake(void *arg)
{
	int n = 0;
#ifdef KNOWN
	pthread_mutex_lock(&m);
	int waits = waiting;
	pthread_mutex_unlock(&m);
	if (!waits)
		pthread_mutex_lock(&m);
	else
#endif
#ifdef LOOP
	while (pthread_mutex_trylock(&m))
		n = 1;
#else
	if (pthread_mutex_trylock(&m)) {
		n = 1;
		pthread_mutex_lock(&m);
	}
#endif
	ready = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	contended = n;
	return arg;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, NULL, wait, NULL);
	pthread_create(&u, NULL, wake, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	assert(!contended);
	return 0;
}
