// Bit fields: neighbours in one word do not disturb each other in one thread; in two threads they need a lock.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct {
	unsigned ready : 1;
	unsigned level : 3;
	signed delta : 4;
	unsigned long wide : 40;
} flags;

static void *raise_level(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	flags.level = 1;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *set_ready(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	flags.ready = 1;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;
	int nine = 9;

	flags.delta = -3;
	flags.wide = 0xffffffffffUL;
	flags.wide++;
	assert(flags.wide == 0 && flags.delta == -3);
	flags.level = nine & 7;
	assert(flags.level == 1 && flags.ready == 0);

	pthread_create(&p1, NULL, raise_level, NULL);
	pthread_create(&p2, NULL, set_ready, NULL);
	pthread_join(p1, NULL);
	pthread_join(p2, NULL);
	assert(flags.level == 1 && flags.ready == 1 && flags.delta == -3);
	return 0;
}
