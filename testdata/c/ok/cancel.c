// A thread is cancelled where it waits. Its cleanup handlers run, the last one first, and the mutex of a condition variable is theirs.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t sem;
static atomic_int done;
static int handled;

static void first(void *arg)
{
	assert(handled == 1);
	handled = 2;
#ifdef COND
	pthread_mutex_unlock(&mutex);
#endif
}

static void last(void *arg) { handled++; }

static void wait(void)
{
#if defined(COND)
	for (;;)
		pthread_cond_wait(&cond, &mutex);
#elif defined(SEM)
	sem_wait(&sem);
#elif defined(SLEEP)
	for (;;)
		sleep(1);
#elif defined(NO_POINT)
	while (!done)
		;
#else
	while (!done)
		pthread_testcancel();
#endif
}

static void *work(void *arg)
{
#ifdef COND
	pthread_mutex_lock(&mutex);
#endif
#ifdef DISABLED
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, 0);
#endif
	pthread_cleanup_push(first, 0);
	pthread_cleanup_push(last, 0);
	wait();
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(0);
	return 0;
}

int main(void)
{
	pthread_t t;
	void *result;
	sem_init(&sem, 0, 0);
	pthread_create(&t, 0, work, 0);
	pthread_cancel(t);
#if defined(DISABLED) || defined(EITHER)
	done = 1;
#endif
	pthread_join(t, &result);
#ifdef DISABLED
	assert(result == 0 && handled == 0);
#else
	assert(result == PTHREAD_CANCELED && handled == 2);
#endif
#ifdef COND
	assert(pthread_mutex_trylock(&mutex) == 0);
#endif
}
