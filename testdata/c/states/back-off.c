// Two threads take two mutexes in opposite orders. Each gives its first one back if it does not get the second.
// They may do so for ever, which is a livelock. It is no deadlock: each of them goes on. With -DKEEP they do not give back, and it is one.
#include <assert.h>
#include <pthread.h>
#include <sched.h>

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
int count;

static void lock_both(pthread_mutex_t *first, pthread_mutex_t *second) {
	for (;;) {
		pthread_mutex_lock(first);
		if (pthread_mutex_trylock(second) == 0)
			return;
#ifndef KEEP
		pthread_mutex_unlock(first);
#endif
		sched_yield();
	}
}

static void add(void) {
	count++;
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
}

static void *forwards(void *arg) {
	lock_both(&a, &b);
	add();
	return NULL;
}

static void *backwards(void *arg) {
	lock_both(&b, &a);
	add();
	return NULL;
}

int main(void) {
	pthread_t t, u;
	pthread_create(&t, NULL, forwards, NULL);
	pthread_create(&u, NULL, backwards, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	assert(count == 2);
	return 0;
}
