#include <assert.h>
#include <pthread.h>
static int slot;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void put(int v)
{
	pthread_mutex_lock(&m);
	while (slot)
		pthread_cond_wait(&c, &m);
	slot = v;
	pthread_cond_broadcast(&c);
	pthread_mutex_unlock(&m);
}
static int take(void)
{
	pthread_mutex_lock(&m);
	while (!slot)
		pthread_cond_wait(&c, &m);
	int v = slot;
	slot = 0;
	pthread_cond_broadcast(&c);
	pthread_mutex_unlock(&m);
	return v;
}
static void *t(void *arg)
{
	put(1);
	put(2);
	return 0;
}
int main(void)
{
	pthread_t i;
	pthread_create(&i, 0, t, 0);
	int sum = take() * 10;
	sum += take();
	assert(sum == 12);
}
