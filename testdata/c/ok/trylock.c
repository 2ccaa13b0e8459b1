// Two threads try a mutex once; who does not get it does without.
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *try(void *arg)
{
	int *got = arg;
	int result = pthread_mutex_trylock(&lock);

	if (result == 0) {
		counter++;
		*got = 1;
		pthread_mutex_unlock(&lock);
	} else {
		assert(result == EBUSY);
	}
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;
	static int got1, got2;

	pthread_create(&p1, NULL, try, &got1);
	pthread_create(&p2, NULL, try, &got2);
	pthread_join(p1, NULL);
	pthread_join(p2, NULL);
	assert(counter == got1 + got2);
	assert(counter >= 1);
	return 0;
}
