// N threads, of which two at most are between the wait and the post of a semaphore.
#include <pthread.h>
#include <semaphore.h>

#ifndef N
#define N 4
#endif

static sem_t places;

static void *visitor(void *arg)
{
	sem_wait(&places);
	sem_post(&places);
	return 0;
}

int main(void)
{
	pthread_t t[N];
	sem_init(&places, 0, 2);
	for (int i = 0; i < N; i++)
		pthread_create(&t[i], 0, visitor, 0);
	for (int i = 0; i < N; i++)
		pthread_join(t[i], 0);
}
