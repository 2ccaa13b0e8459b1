// A thread that polls with the mutex in its hands, but for a moment in each round: no deadlock.
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int ready;
static void *w(void *arg)
{
	pthread_mutex_lock(&m);
	ready = 1;
	pthread_mutex_unlock(&m);
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, w, NULL);
	pthread_mutex_lock(&m);
	while (!ready) {
		pthread_mutex_unlock(&m);
		pthread_mutex_lock(&m);
	}
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
}
