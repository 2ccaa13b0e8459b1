// A mutex of the C library orders the critical sections of its threads.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count, seen;

static void *increment(void *arg)
{
	pthread_mutex_lock(&mutex);
	count++;
	seen |= 1 << count;
	pthread_mutex_unlock(&mutex);
	return 0;
}

int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], 0, increment, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	assert(count == 3 && seen == 14);
}
