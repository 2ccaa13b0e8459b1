// want: verified 1
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
static int data;
static void *post(void *arg)
{
	sem_t *s = sem_open("/ready", 0);
	assert(s != SEM_FAILED && sem_open("/other", 0) == SEM_FAILED);
	data = 1;
	sem_post(s);
	return arg;
}
int main(void)
{
	pthread_t t;
	sem_t *s = sem_open("/ready", O_CREAT, 0600, 0);
	assert(s != SEM_FAILED);
	pthread_create(&t, 0, post, 0);
	sem_wait(s);
	assert(data == 1);
	pthread_join(t, 0);
	sem_close(s);
	sem_unlink("/ready");
	assert(sem_open("/ready", 0) == SEM_FAILED);
	return 0;
}
