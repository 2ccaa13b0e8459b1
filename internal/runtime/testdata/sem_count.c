// want: verified
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
static sem_t s;
static int x;
static void *f(void *arg)
{
	x = 1;
	sem_post(&s);
	sem_post(&s);
	return 0;
}
int main(void)
{
	pthread_t t;
	sem_init(&s, 0, 0);
	pthread_create(&t, 0, f, 0);
	sem_wait(&s);
	assert(x == 1);
	sem_wait(&s);
	pthread_join(t, 0);
	assert(sem_trywait(&s) == -1 && errno == EAGAIN);
}
