// Two waiters and one broadcast that wakes them both.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int open, passed;

static void *pass(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	while (!open) {
		pthread_cond_wait(&opened, &lock);
	}
	passed++;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;

	pthread_create(&p1, NULL, pass, NULL);
	pthread_create(&p2, NULL, pass, NULL);
	pthread_mutex_lock(&lock);
	open = 1;
	pthread_cond_broadcast(&opened);
	pthread_mutex_unlock(&lock);
	pthread_join(p1, NULL);
	pthread_join(p2, NULL);
	assert(passed == 2);
	return 0;
}
