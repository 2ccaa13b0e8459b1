/*
 * A thread polls with the mutex in its hands, but for a moment in each round: no deadlock.
 *
 * -DSEM      a semaphore instead of the mutex
 * -DLATER    the thread gives the mutex back, and looks at something else, before it takes it again
 * -DNEVER    what it waits for never comes
 */
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t s;
static int ready;
static _Atomic int other;

static void take(void)
{
#ifdef SEM
	sem_wait(&s);
#else
	pthread_mutex_lock(&m);
#endif
}

static void give(void)
{
#ifdef SEM
	sem_post(&s);
#else
	pthread_mutex_unlock(&m);
#endif
}

static void *set(void *arg)
{
	take();
#ifndef NEVER
	ready = 1;
#endif
	give();
	return arg;
}

int main(void)
{
	pthread_t t;

	sem_init(&s, 0, 1);
	pthread_create(&t, NULL, set, NULL);
	take();
	while (!ready) {
		give();
#ifdef LATER
		if (other)
			break;
#endif
		take();
	}
	give();
	pthread_join(t, NULL);
	return 0;
}
