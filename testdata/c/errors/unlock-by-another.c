// A thread unlocks a mutex that main holds.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *release(void *arg)
{
	(void)arg;
	pthread_mutex_unlock(&lock); // ERROR
	return NULL;
}

int main(void)
{
	pthread_t p;

	pthread_mutex_lock(&lock); // RELATED
	pthread_create(&p, NULL, release, NULL);
	pthread_join(p, NULL);
	return 0;
}
