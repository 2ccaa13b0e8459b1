// A work queue under a mutex, with the flag that ends it under the mutex too.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#ifndef N
#define N 3
#endif
#ifndef JOBS
#define JOBS 2
#endif
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int jobs[JOBS], count, taken, closed, sum;
static void *work(void *arg)
{
	for (;;) {
		int job = 0, over = 0;
		pthread_mutex_lock(&m);
		if (taken < count)
			job = jobs[taken++];
		else if (closed)
			over = 1;
		if (job)
			sum += job;
		pthread_mutex_unlock(&m);
		if (over) break;
	}
	return NULL;
}
int main(void)
{
	pthread_t t[N];
	for (int i = 1; i < N; i++) pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < JOBS; i++) {
		pthread_mutex_lock(&m);
		jobs[count++] = i + 1;
		pthread_mutex_unlock(&m);
	}
	pthread_mutex_lock(&m);
	closed = 1;
	pthread_mutex_unlock(&m);
	for (int i = 1; i < N; i++) pthread_join(t[i], NULL);
	assert(sum == JOBS * (JOBS + 1) / 2);
}
