// want: verified
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;
static void *wait(void *arg)
{
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	pthread_mutex_lock(&m);
	int r = 0;
	while (!ready && r != ETIMEDOUT)
		r = pthread_cond_timedwait(&c, &m, &until);
	assert(ready || r == ETIMEDOUT);
	pthread_mutex_unlock(&m);
	return 0;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, wait, 0);
	pthread_mutex_lock(&m);
	ready = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	pthread_join(t, 0);
}
