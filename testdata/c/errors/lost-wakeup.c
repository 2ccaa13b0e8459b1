// The flag is looked at before the mutex is taken: the signal may come in between and be lost.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_int ready;

static void *wait_for_it(void *arg)
{
	(void)arg;
	if (!atomic_load(&ready)) {
		pthread_mutex_lock(&lock);
		pthread_cond_wait(&changed, &lock); // ERROR
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void *announce(void *arg)
{
	(void)arg;
	atomic_store(&ready, 1);
	pthread_mutex_lock(&lock);
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;

	pthread_create(&p1, NULL, wait_for_it, NULL);
	pthread_create(&p2, NULL, announce, NULL);
	pthread_join(p1, NULL);
	pthread_join(p2, NULL);
	return 0;
}
