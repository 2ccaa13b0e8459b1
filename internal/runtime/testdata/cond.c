// The waiter is first and waits, or it is second and does not.
// want: verified 2
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready, data;
static void *wait(void *arg)
{
	pthread_mutex_lock(&m);
	while (!ready)
		pthread_cond_wait(&c, &m);
	assert(data == 42);
	pthread_mutex_unlock(&m);
	return 0;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, wait, 0);
	pthread_mutex_lock(&m);
	data = 42;
	ready = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	pthread_join(t, 0);
	pthread_cond_destroy(&c);
}
