// want: verified 2
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
static pthread_mutex_t r = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, e;
static int x;
static void *f(void *arg)
{
	assert(pthread_mutex_lock(&r) == 0);
	assert(pthread_mutex_lock(&r) == 0);
	assert(pthread_mutex_trylock(&r) == 0);
	x++;
	pthread_mutex_unlock(&r);
	pthread_mutex_unlock(&r);
	pthread_mutex_unlock(&r);
	return 0;
}
int main(void)
{
	pthread_t t, u;
	pthread_mutexattr_t attr;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&e, &attr);
	assert(pthread_mutex_lock(&e) == 0);
	assert(pthread_mutex_lock(&e) == EDEADLK);
	assert(pthread_mutex_trylock(&e) == EBUSY);
	assert(pthread_mutex_unlock(&e) == 0);
	pthread_mutex_destroy(&e);
	pthread_create(&t, 0, f, 0);
	pthread_create(&u, 0, f, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	assert(x == 2);
}
