// A recursive mutex is locked twice by its owner; an error-checking one says what a normal one leaves undefined.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t recursive, checking;
static int depth;

static void *visit(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&recursive);
	pthread_mutex_lock(&recursive);
	depth++;
	pthread_mutex_unlock(&recursive);
	pthread_mutex_unlock(&recursive);
	return NULL;
}

int main(void)
{
	pthread_t p;
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&recursive, &attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&checking, &attr);
	pthread_mutexattr_destroy(&attr);

	pthread_create(&p, NULL, visit, NULL);
	visit(NULL);
	pthread_join(p, NULL);
	assert(depth == 2);

	assert(pthread_mutex_unlock(&checking) == EPERM);
	assert(pthread_mutex_lock(&checking) == 0);
	assert(pthread_mutex_lock(&checking) == EDEADLK);
	assert(pthread_mutex_unlock(&checking) == 0);

	pthread_mutex_destroy(&recursive);
	pthread_mutex_destroy(&checking);
	return 0;
}
