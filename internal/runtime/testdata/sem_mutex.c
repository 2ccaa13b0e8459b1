// A binary semaphore is a lock.
// want: verified 6
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
static sem_t s;
static int x;
static void *f(void *arg)
{
	sem_wait(&s);
	x++;
	sem_post(&s);
	return 0;
}
int main(void)
{
	pthread_t t[3];
	sem_init(&s, 0, 1);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], 0, f, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	assert(x == 3);
	int v;
	sem_getvalue(&s, &v);
	assert(v == 1);
	sem_destroy(&s);
}
