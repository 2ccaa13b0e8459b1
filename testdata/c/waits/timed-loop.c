// A wait with a timeout, in a loop that looks at the condition. With -DNOW the deadline is new in each round, so that no round leaves the clock as it was. With -DGIVE_UP
// main does not wait again after a timeout, and must not rely on what it waited for. With -DNEVER nobody signals.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;

static void *set(void *arg)
{
	pthread_mutex_lock(&m);
#ifndef NEVER
	ready = 1;
	pthread_cond_signal(&c);
#endif
	pthread_mutex_unlock(&m);
	return 0;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, set, 0);
	struct timespec until = { 100, 0 };
	pthread_mutex_lock(&m);
	while (!ready) {
#ifdef NOW
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec++;
#endif
		int error = pthread_cond_timedwait(&c, &m, &until);
#ifdef GIVE_UP
		if (error == ETIMEDOUT)
			break;
#endif
	}
#ifdef GIVE_UP
	assert(ready);
#endif
	pthread_mutex_unlock(&m);
	pthread_join(t, 0);
}
