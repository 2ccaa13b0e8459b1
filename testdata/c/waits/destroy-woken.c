// A condition variable is destroyed when nobody waits any more. main knows that the waiting thread has ended, but nothing orders what the other one did to wake it.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int done;
static atomic_int signalled;

static void *wait(void *arg)
{
	pthread_mutex_lock(&m);
	while (!done)
		pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	return arg;
}

static void *wake(void *arg)
{
	pthread_mutex_lock(&m);
	done = 1;
	pthread_mutex_unlock(&m);
	pthread_cond_signal(&c);
	atomic_store_explicit(&signalled, 1, memory_order_relaxed);
	return arg;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, NULL, wait, NULL);
	pthread_create(&u, NULL, wake, NULL);
	pthread_join(t, NULL);
	while (!atomic_load_explicit(&signalled, memory_order_relaxed))
		;
	pthread_cond_destroy(&c);
	pthread_join(u, NULL);
	return 0;
}
