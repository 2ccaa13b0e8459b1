// N threads change shared variables under a mutex. KIND says how:
//
//	0  two counters in one section
//	1  two counters, each with a mutex of its own
//	2  a compare-and-swap written out and a counter, in two sections of one mutex
#include <pthread.h>

#ifndef N
#define N 3
#endif
#ifndef KIND
#define KIND 0
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static int x, y;

static void *change(void *arg)
{
	int self = 1 + (int)((char *)arg - (char *)0);
#if KIND == 0
	pthread_mutex_lock(&mutex);
	x++;
	y++;
	pthread_mutex_unlock(&mutex);
#elif KIND == 1
	pthread_mutex_lock(&mutex);
	x++;
	pthread_mutex_unlock(&mutex);
	pthread_mutex_lock(&other);
	y++;
	pthread_mutex_unlock(&other);
#else
	pthread_mutex_lock(&mutex);
	if (x == 0)
		x = self;
	pthread_mutex_unlock(&mutex);
	pthread_mutex_lock(&mutex);
	y++;
	pthread_mutex_unlock(&mutex);
#endif
	return 0;
}

int main(void)
{
	pthread_t t[N];
	for (int i = 0; i < N; i++)
		pthread_create(&t[i], 0, change, (char *)0 + i);
	for (int i = 0; i < N; i++)
		pthread_join(t[i], 0);
}
