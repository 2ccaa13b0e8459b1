#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int full;
static void *produce(void *arg)
{
	pthread_mutex_lock(&m);
	while (full)
		pthread_cond_wait(&c, &m);
	full = 1;
	WAKE(&c);
	pthread_mutex_unlock(&m);
	return 0;
}
static void *consume(void *arg)
{
	pthread_mutex_lock(&m);
	while (!full)
		pthread_cond_wait(&c, &m);
	full = 0;
	WAKE(&c);
	pthread_mutex_unlock(&m);
	return 0;
}
int main(void)
{
	pthread_t t[4];
	pthread_create(&t[0], 0, consume, 0);
	pthread_create(&t[1], 0, consume, 0);
	pthread_create(&t[2], 0, produce, 0);
	pthread_create(&t[3], 0, produce, 0);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], 0);
	assert(!full);
}
