// A message passed by a semaphore, and a second semaphore that nobody can take.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t there, none;
static int message;

static void *send(void *arg)
{
	(void)arg;
	message = 9;
	sem_post(&there);
	return NULL;
}

int main(void)
{
	pthread_t p;
	int value;

	sem_init(&there, 0, 0);
	sem_init(&none, 0, 0);
	pthread_create(&p, NULL, send, NULL);
	sem_wait(&there);
	assert(message == 9);
	errno = 0;
	assert(sem_trywait(&none) == -1 && errno == EAGAIN);
	assert(sem_getvalue(&there, &value) == 0 && value == 0);
	pthread_join(p, NULL);
	sem_destroy(&none);
	sem_destroy(&there);
	return 0;
}
