// A plain counter behind a mutex.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *increment(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	counter++;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;

	pthread_create(&p1, NULL, increment, NULL);
	pthread_create(&p2, NULL, increment, NULL);
	pthread_join(p1, NULL);
	pthread_join(p2, NULL);
	assert(counter == 2);
	pthread_mutex_destroy(&lock);
	return 0;
}
