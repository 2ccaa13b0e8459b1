// Attributes keep what they are set to.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define KEEPS(kind, name, type, value)                                     \
	do {                                                               \
		type v = 0;                                                \
		assert(pthread_##kind##attr_set##name(&kind, value) == 0); \
		assert(pthread_##kind##attr_get##name(&kind, &v) == 0);    \
		assert(v == value);                                        \
	} while (0)

int main(void)
{
	pthread_mutexattr_t mutex;
	pthread_mutexattr_init(&mutex);
	KEEPS(mutex, robust, int, PTHREAD_MUTEX_ROBUST);
	KEEPS(mutex, pshared, int, PTHREAD_PROCESS_SHARED);
	KEEPS(mutex, protocol, int, PTHREAD_PRIO_INHERIT);
	KEEPS(mutex, type, int, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_t m;
	pthread_mutex_init(&m, &mutex);
	pthread_mutex_lock(&m);
	assert(pthread_mutex_lock(&m) == 0);
	assert(pthread_mutexattr_settype(&mutex, 7) != 0);

	pthread_condattr_t cond;
	pthread_condattr_init(&cond);
	KEEPS(cond, clock, clockid_t, CLOCK_MONOTONIC);
	KEEPS(cond, pshared, int, PTHREAD_PROCESS_SHARED);

	pthread_rwlockattr_t rwlock;
	pthread_rwlockattr_init(&rwlock);
	KEEPS(rwlock, pshared, int, PTHREAD_PROCESS_SHARED);
	KEEPS(rwlock, kind_np, int, PTHREAD_RWLOCK_PREFER_WRITER_NP);

	pthread_barrierattr_t barrier;
	pthread_barrierattr_init(&barrier);
	KEEPS(barrier, pshared, int, PTHREAD_PROCESS_SHARED);

	pthread_attr_t attr;
	size_t size;
	assert(pthread_getattr_np(pthread_self(), &attr) == 0);
	assert(pthread_attr_getstacksize(&attr, &size) == 0 && size > 0);

	char text[64];
	assert(strerror_r(2, text, sizeof text) != NULL);
	assert(write(1, "out\n", 4) == 4);
	return 0;
}
