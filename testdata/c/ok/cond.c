// A one-place buffer between a producer and a consumer, with a condition variable for each side.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static int full, item;

static void *produce(void *arg)
{
	(void)arg;
	for (int i = 1; i <= 2; i++) {
		pthread_mutex_lock(&lock);
		while (full) {
			pthread_cond_wait(&emptied, &lock);
		}
		item = i;
		full = 1;
		pthread_cond_signal(&filled);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void *consume(void *arg)
{
	(void)arg;
	for (int i = 1; i <= 2; i++) {
		pthread_mutex_lock(&lock);
		while (!full) {
			pthread_cond_wait(&filled, &lock);
		}
		assert(item == i);
		full = 0;
		pthread_cond_signal(&emptied);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;

	pthread_create(&p1, NULL, produce, NULL);
	pthread_create(&p2, NULL, consume, NULL);
	pthread_join(p1, NULL);
	pthread_join(p2, NULL);
	assert(!full && item == 2);
	return 0;
}
