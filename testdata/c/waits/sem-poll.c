// A thread polls under a semaphore. With -DNEVER it polls for ever: it gets the semaphore each time, so this is a loop of the program that spins, and no deadlock.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#ifdef NEVER
#define STATE 2
#else
#define STATE 1
#endif

static sem_t s;
static atomic_int state;

static void *poll(void *arg)
{
	for (;;) {
		sem_wait(&s);
		int v = state;
		sem_post(&s);
		if (v == 1)
			break;
	}
	return arg;
}

int main(void)
{
	pthread_t t;

	sem_init(&s, 0, 1);
	pthread_create(&t, NULL, poll, NULL);
	state = STATE;
	pthread_join(t, NULL);
	return 0;
}
