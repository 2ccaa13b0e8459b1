// pthread_create and its like. A pthread_t is the thread's number plus one, so that no thread
// has the name 0, which C++ takes for "no thread".
#include "rt.h"

// What becomes of a thread in programs that detach some: every thread is joined or detached at most once. An operation that comes second is
// wrong in whichever order the two come, so these accesses need no order.
enum { JOINED = 1, DETACHED, MAX_FATES = 1 << 14 };
static u8 fates[MAX_FATES];

static u8 decide(u64 tid, u8 fate)
{
	if (tid >= MAX_FATES)
		__ravel_error("unsupported", "a program that detaches threads has too many of them");
	return __atomic_exchange_n(&fates[tid], fate, rlx);
}

// __ravel_joins is linked only into programs that reach __ravel_detach. In those, the machine calls it before __ravel_join, and a return of
// main ends the program: it waits for nobody.
void __ravel_joins(u64 tid)
{
	if (decide(tid, JOINED) == DETACHED)
		misuse_of(&fates[tid], "join of a detached thread", "detached here");
}

void __ravel_detach(u64 tid)
{
	if (tid == (u64)__ravel_joins) // never; but now the program has it
		return;
	switch (decide(tid, DETACHED)) {
	case JOINED:
		misuse_of(&fates[tid], "detach of a thread that is joined", "joined here");
	case DETACHED:
		misuse_of(&fates[tid], "detach of a detached thread", "detached here before");
	}
}

// A pthread_attr_t, which has at least this size.
typedef struct {
	size_t stack_size, guard_size;
	void *stack;
	void (*detach)(u64 tid); // __ravel_detach, by its address so that only programs that set it have it; or NULL
	int scope, inherits, policy, priority;
} attributes;

enum { MIN_STACK = 16384, SCHED_OTHER = 0, SCHED_RR = 2 };

int pthread_create(pthread_t *t, const attributes *attr, void *(*fn)(void *), void *arg)
{
	if (attr && attr->detach)
		attr->detach(__ravel_next());
	start(t, fn, arg);
	return 0;
}

// joinable returns the number of a thread that the caller may wait for.
u64 __ravel_joinable(pthread_t t)
{
	if (t == 0)
		misuse("join of something that is no thread");
	return t - 1;
}

int pthread_join(pthread_t t, void **result)
{
	cancellation_point();
	void *r = __ravel_join(__ravel_joinable(t));
	if (result)
		*result = r;
	return 0;
}

// A look at a thread that may end finds that it has not, or that it has.
int pthread_tryjoin_np(pthread_t t, void **result) { return __ravel_choose(2) ? EBUSY : pthread_join(t, result); }

int pthread_timedjoin_np(pthread_t t, void **result, const void *until)
{
	if (!__ravel_choose(2)) {
		__ravel_in_time();
		return pthread_join(t, result);
	}
	cancellation_point();
	__ravel_passed(__ravel_nanoseconds(until));
	return ETIMEDOUT;
}

int pthread_clockjoin_np(pthread_t t, void **result, int clock, const void *until) { return pthread_timedjoin_np(t, result, until); }

int pthread_detach(pthread_t t)
{
	if (t == 0)
		misuse("detach of something that is no thread");
	__ravel_detach(t - 1);
	return 0;
}

_Noreturn void pthread_exit(void *result)
{
	__ravel_if_cleanups(result);
	__ravel_exit(result);
}

pthread_t pthread_self(void) { return __ravel_self() + 1; }
int pthread_equal(pthread_t a, pthread_t b) { return a == b; }

// Attributes: they keep what they are set to. Only the detach state has an effect.
int pthread_attr_init(attributes *a)
{
	*a = (attributes){.stack_size = 8 << 20, .guard_size = 4096};
	return 0;
}

int pthread_getattr_np(pthread_t t, attributes *a) { return pthread_attr_init(a); }
int pthread_attr_destroy(attributes *a) { return 0; }
int pthread_attr_setaffinity_np(attributes *a, size_t n, const void *set) { return 0; }

#define ATTRIBUTE(name, type, member, valid)                                \
	int pthread_attr_set##name(attributes *a, type v)                   \
	{                                                                   \
		if (!(valid))                                               \
			return EINVAL;                                      \
		a->member = v;                                              \
		return 0;                                                   \
	}                                                                   \
	int pthread_attr_get##name(const attributes *a, type *v)            \
	{                                                                   \
		*v = a->member;                                             \
		return 0;                                                   \
	}
ATTRIBUTE(scope, int, scope, v == 0)
ATTRIBUTE(inheritsched, int, inherits, v == 0 || v == 1)
ATTRIBUTE(schedpolicy, int, policy, v >= SCHED_OTHER && v <= SCHED_RR)
ATTRIBUTE(stacksize, size_t, stack_size, v >= MIN_STACK)
ATTRIBUTE(guardsize, size_t, guard_size, 1)

int pthread_attr_setdetachstate(attributes *a, int v)
{
	if (v != 0 && v != 1)
		return EINVAL;
	a->detach = v ? __ravel_detach : NULL;
	return 0;
}

int pthread_attr_getdetachstate(const attributes *a, int *v)
{
	*v = a->detach != NULL;
	return 0;
}

int pthread_attr_setschedparam(attributes *a, const int *priority)
{
	a->priority = *priority;
	return 0;
}

int pthread_attr_getschedparam(const attributes *a, int *priority)
{
	*priority = a->priority;
	return 0;
}

int pthread_attr_setstack(attributes *a, void *p, size_t n)
{
	a->stack = p;
	return pthread_attr_setstacksize(a, n);
}

int pthread_attr_getstack(const attributes *a, void **p, size_t *n)
{
	*p = a->stack;
	return pthread_attr_getstacksize(a, n);
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

void pthread_testcancel(void) { cancellation_point(); }

int pthread_kill(pthread_t t, int sig) { __ravel_error("unsupported", "pthread_kill is not modelled: signals never arrive; call what the handler does from a thread"); }

int sched_setaffinity(int pid, size_t n, const void *set) { return 0; }
int sched_getcpu(void) { return 0; }
int getcpu(u32 *cpu, u32 *node)
{
	if (cpu)
		*cpu = 0;
	if (node)
		*node = 0;
	return 0;
}
int pthread_getcpuclockid(pthread_t t, int *clock)
{
	*clock = 3; // CLOCK_THREAD_CPUTIME_ID
	return 0;
}
