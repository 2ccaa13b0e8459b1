// A flag under a mutex; the others sleep between two looks.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>
#ifndef N
#define N 3
#endif
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int ready, data;
static void *wait_for(void *arg)
{
	for (;;) {
		pthread_mutex_lock(&m);
		int r = ready;
		pthread_mutex_unlock(&m);
		if (r) break;
		struct timespec ts = { 0, 1000000 };
		nanosleep(&ts, NULL);
	}
	assert(data == 1);
	return NULL;
}
int main(void)
{
	pthread_t t[N];
	for (int i = 1; i < N; i++) pthread_create(&t[i], NULL, wait_for, NULL);
	data = 1;
	pthread_mutex_lock(&m);
	ready = 1;
	pthread_mutex_unlock(&m);
	for (int i = 1; i < N; i++) pthread_join(t[i], NULL);
}
