// A plain counter behind a spin lock.
#define _XOPEN_SOURCE 700
#include <assert.h>
#include <pthread.h>

static pthread_spinlock_t lock;
static int counter;

static void *increment(void *arg)
{
	(void)arg;
	pthread_spin_lock(&lock);
	counter++;
	pthread_spin_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;

	pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
	pthread_create(&p1, NULL, increment, NULL);
	pthread_create(&p2, NULL, increment, NULL);
	pthread_join(p1, NULL);
	pthread_join(p2, NULL);
	assert(counter == 2);
	pthread_spin_destroy(&lock);
	return 0;
}
