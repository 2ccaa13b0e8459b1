// A counter behind a mutex that one of the threads forgets to take.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *careful(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	counter++; // RELATED
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *careless(void *arg)
{
	(void)arg;
	counter++; // ERROR
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;

	pthread_create(&p1, NULL, careful, NULL);
	pthread_create(&p2, NULL, careless, NULL);
	pthread_join(p1, NULL);
	pthread_join(p2, NULL);
	return 0;
}
