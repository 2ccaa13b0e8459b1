// A thread looks once whether it has to wait, and takes the end of the wait for the event. But a wait may end without a signal: POSIX, pthread_cond_wait, "Spurious
// wakeups ... may occur"; C11 7.26.3.6. With LOOP it looks again. With LOST, nobody signals: no wake-up is owed to the thread, and it may wait for ever.
#include <assert.h>
#include <pthread.h>
#include <threads.h>

#ifdef LOOP
#define CHECK while
#else
#define CHECK if
#endif

static int ready;

#ifdef THREADS_H
static mtx_t m;
static cnd_t c;
#define LOCK mtx_lock(&m)
#define UNLOCK mtx_unlock(&m)
#define WAIT cnd_wait(&c, &m)
#define SIGNAL cnd_signal(&c)
#else
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
#define LOCK pthread_mutex_lock(&m)
#define UNLOCK pthread_mutex_unlock(&m)
#define WAIT pthread_cond_wait(&c, &m)
#define SIGNAL pthread_cond_signal(&c)
#endif

static void *setter(void *arg)
{
	LOCK;
	ready = 1;
#ifndef LOST
	SIGNAL;
#endif
	UNLOCK;
	return NULL;
}

int main(void)
{
	pthread_t t;
#ifdef THREADS_H
	mtx_init(&m, mtx_plain);
	cnd_init(&c);
#endif
	pthread_create(&t, NULL, setter, NULL);
	LOCK;
	CHECK (!ready)
		WAIT;
	assert(ready);
	UNLOCK;
	pthread_join(t, NULL);
	return 0;
}
