// C11 threads.h, on top of the pthread functions: glibc's types are the same.
#include "rt.h"

enum { thrd_success, thrd_busy, thrd_error, thrd_nomem, thrd_timedout };
enum { mtx_recursive = 1, PTHREAD_MUTEX_RECURSIVE = 1 };

static int result(int error)
{
	switch (error) {
	case 0:
		return thrd_success;
	case EBUSY:
		return thrd_busy;
	case ETIMEDOUT:
		return thrd_timedout;
	case ENOMEM:
		return thrd_nomem;
	}
	return thrd_error;
}

int thrd_create(pthread_t *t, int (*fn)(void *), void *arg)
{
	start(t, (void *(*)(void *))(void *)fn, arg);
	return thrd_success;
}

int thrd_join(pthread_t t, int *res)
{
	void *r = __ravel_join(__ravel_joinable(t));
	if (res)
		*res = (int)(long)r;
	return thrd_success;
}

int thrd_detach(pthread_t t) { return result(pthread_detach(t)); }
_Noreturn void thrd_exit(int res) { __ravel_exit((void *)(long)res); }
pthread_t thrd_current(void) { return __ravel_self() + 1; }
int thrd_equal(pthread_t a, pthread_t b) { return a == b; }
int thrd_sleep(const void *duration, void *remaining) { return 0; }

int mtx_init(mutex *m, int type)
{
	pthread_mutex_init(m, NULL);
	if (type & mtx_recursive)
		store(&m->kind, PTHREAD_MUTEX_RECURSIVE, rlx);
	return thrd_success;
}

void mtx_destroy(mutex *m) { pthread_mutex_destroy(m); }
int mtx_lock(mutex *m) { return result(pthread_mutex_lock(m)); }
int mtx_trylock(mutex *m) { return result(pthread_mutex_trylock(m)); }
int mtx_timedlock(mutex *m, const void *until) { return result(pthread_mutex_timedlock(m, until)); }
int mtx_unlock(mutex *m) { return result(pthread_mutex_unlock(m)); }

int cnd_init(cond *c) { return result(pthread_cond_init(c, NULL)); }
void cnd_destroy(cond *c) { pthread_cond_destroy(c); }
int cnd_wait(cond *c, mutex *m) { return result(pthread_cond_wait(c, m)); }
int cnd_timedwait(cond *c, mutex *m, const void *until) { return result(pthread_cond_timedwait(c, m, until)); }
int cnd_signal(cond *c) { return result(pthread_cond_signal(c)); }
int cnd_broadcast(cond *c) { return result(pthread_cond_broadcast(c)); }

int tss_create(u32 *key, void (*d)(void *)) { return result(pthread_key_create(key, d)); }
void tss_delete(u32 key) { pthread_key_delete(key); }
void *tss_get(u32 key) { return pthread_getspecific(key); }
int tss_set(u32 key, void *v) { return result(pthread_setspecific(key, v)); }

void call_once(u32 *once, void (*fn)(void)) { pthread_once(once, fn); }
