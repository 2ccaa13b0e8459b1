// pthread_create and its like. A pthread_t is the thread's number plus one, so that no thread
// has the name 0, which C++ takes for "no thread".
#include "rt.h"

// Detaching needs no record: a thread that nobody joins is no error, and joining a detached
// one is not looked for.
int pthread_create(pthread_t *t, const void *attr, void *(*fn)(void *), void *arg)
{
	*t = __ravel_create(fn, arg) + 1;
	return 0;
}

int pthread_join(pthread_t t, void **result)
{
	if (t == 0)
		misuse("pthread_join of something that is no thread");
	void *r = __ravel_join(t - 1);
	if (result)
		*result = r;
	return 0;
}

int pthread_detach(pthread_t t) { return 0; }

// pthread_cleanup_push and pthread_cleanup_pop: the handlers of a thread that exits between the two can't be run.
static _Thread_local int cleanups;

int __sigsetjmp(void *env, int mask) { return 0; }
void __pthread_register_cancel(void *buf) { cleanups++; }
void __pthread_unregister_cancel(void *buf) { cleanups--; }
_Noreturn void __pthread_unwind_next(void *buf) { __ravel_error("unsupported", "cancellation is not modelled"); }

_Noreturn void pthread_exit(void *result)
{
	if (cleanups)
		__ravel_error("unsupported", "pthread_exit between pthread_cleanup_push and pthread_cleanup_pop is not modelled");
	__ravel_exit(result);
}

pthread_t pthread_self(void) { return __ravel_self() + 1; }
int pthread_equal(pthread_t a, pthread_t b) { return a == b; }

// Attributes have no effect. The getters answer what glibc's defaults are.
int pthread_attr_init(void *a) { return 0; }
int pthread_attr_destroy(void *a) { return 0; }
int pthread_attr_setdetachstate(void *a, int v) { return 0; }
int pthread_attr_setguardsize(void *a, size_t v) { return 0; }
int pthread_attr_setinheritsched(void *a, int v) { return 0; }
int pthread_attr_setschedparam(void *a, const void *v) { return 0; }
int pthread_attr_setschedpolicy(void *a, int v) { return 0; }
int pthread_attr_setscope(void *a, int v) { return 0; }
int pthread_attr_setstack(void *a, void *p, size_t n) { return 0; }
int pthread_attr_setstacksize(void *a, size_t n) { return 0; }
int pthread_attr_setaffinity_np(void *a, size_t n, const void *set) { return 0; }

int pthread_attr_getdetachstate(const void *a, int *v)
{
	*v = 0;
	return 0;
}

int pthread_attr_getscope(const void *a, int *v)
{
	*v = 0;
	return 0;
}

int pthread_attr_getstacksize(const void *a, size_t *n)
{
	*n = 8 << 20;
	return 0;
}

int pthread_attr_getguardsize(const void *a, size_t *n)
{
	*n = 4096;
	return 0;
}

// Scheduling, names, signals: no effect on what a program may observe.
int pthread_setname_np(pthread_t t, const char *name) { return 0; }
int pthread_setaffinity_np(pthread_t t, size_t n, const void *set) { return 0; }
int pthread_setschedparam(pthread_t t, int policy, const void *p) { return 0; }
int pthread_setschedprio(pthread_t t, int p) { return 0; }
int pthread_setconcurrency(int n) { return 0; }
int pthread_getconcurrency(void) { return 0; }
int pthread_sigmask(int how, const void *set, void *old) { return 0; }
int pthread_atfork(void (*a)(void), void (*b)(void), void (*c)(void)) { return 0; }

int pthread_setcancelstate(int state, int *old)
{
	if (old)
		*old = 0;
	return 0;
}

int pthread_setcanceltype(int type, int *old)
{
	if (old)
		*old = 0;
	return 0;
}

void pthread_testcancel(void) {}

int pthread_cancel(pthread_t t) { __ravel_error("unsupported", "pthread_cancel is not modelled"); }
int pthread_kill(pthread_t t, int sig) { __ravel_error("unsupported", "pthread_kill is not modelled"); }

int sched_setaffinity(int pid, size_t n, const void *set) { return 0; }
int sched_getcpu(void) { return 0; }
