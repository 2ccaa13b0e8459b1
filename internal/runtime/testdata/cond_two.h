#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready, woken;
static void *wait(void *arg)
{
	pthread_mutex_lock(&m);
	while (!ready)
		pthread_cond_wait(&c, &m);
	woken++;
	pthread_mutex_unlock(&m);
	return 0;
}
int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, wait, 0);
	pthread_create(&u, 0, wait, 0);
	pthread_mutex_lock(&m);
	ready = 1;
	WAKE(&c);
	pthread_mutex_unlock(&m);
	pthread_join(t, 0);
	pthread_join(u, 0);
	assert(woken == 2);
}
