// Condition variables.
//
// The variable is the set of waiting threads. A wait puts the thread into the set, unlocks the
// mutex and spins on a flag that belongs to the thread alone; a signal takes one thread out of
// the set, whichever it likes, and sets its flag. So a signal with nobody waiting is lost, a
// signal wakes exactly one, and each wake-up is read in exactly one way. The flag is relaxed: what a
// thread sees after it was woken, it sees because of the mutex.
//
// A wait may end without a signal. The thread is in the set all the same, until it has the mutex
// again: an execution in which a signal took it out of the set meanwhile is the one in which that
// signal woke it. See explore/wakeup.go for what engines leave out.
//
// If the program holds the mutex when it signals, every access to the set has one possible
// outcome, and the number of executions is that of an abstract condition variable.
#include "rt.h"

enum { MAX_WAITERS = 8 * sizeof(long) - 1 };

// GONE, in a set, says that the condition variable was destroyed.
#define GONE (1ul << MAX_WAITERS)

// awake[t] is 0 from when thread t begins to wait until somebody wakes it.
static u32 awake[MAX_WAITERS];

INLINE u64 begin_wait(cond *c)
{
	u64 t = __ravel_self();
	if (t >= MAX_WAITERS)
		__ravel_error("unsupported", sizeof(long) == 8 ? "only the first 63 threads can wait on a condition variable" : "only the first 31 threads of a program of 32 bits can wait on a condition variable");
	store(&awake[t], 0, rlx);
	if (__atomic_fetch_or(&c->waiting, 1ul << t, acqrel) & GONE)
		misuse_of(&c->waiting, "wait on a destroyed condition variable", "destroyed here");
	return t;
}

// wake wakes a thread that was in the set. If it has woken up spuriously meanwhile, an execution in which the signal came later stands for this one.
INLINE void wake(u64 t)
{
	if (__atomic_exchange_n(&awake[t], 1, rlx))
		redundant();
}

int pthread_cond_init(cond *c, const void *attr)
{
	store(&c->waiting, 0, rlx);
	return 0;
}

int pthread_cond_destroy(cond *c)
{
	unsigned long set = load(&c->waiting, rlx);
	if (set & GONE)
		misuse_of(&c->waiting, "destroy of a condition variable that is destroyed already", "destroyed here before");
	for (unsigned long s = set; s; s &= s - 1)
		if (!load(&awake[__builtin_ctzl(s)], rlx))
			misuse_of(&c->waiting, "destroy of a condition variable that a thread waits on", "it waits here");
	if (set)
		redundant(); // all were woken, so the set is an old one
	store(&c->waiting, GONE, rlx);
	return 0;
}

// await_or_cancel waits as a thread does that may be cancelled. If a signal has taken it out of the set already, it is woken first.
static __attribute__((noinline)) void await_or_cancel(cond *c, mutex *m, u64 t)
{
	while (!load(&awake[t], rlx))
		if (__ravel_if_cancelled() && __atomic_fetch_and(&c->waiting, ~(1ul << t), acqrel) & 1ul << t) {
			pthread_mutex_lock(m);
			pthread_exit(CANCELED);
		}
}

// leave takes thread t, which nobody has woken, out of the set. It looks at its flag first: after a signal, the condition variable may be gone. If it is not in the set, a
// signal is about to wake it.
INLINE void leave(cond *c, u64 t)
{
	if (__atomic_exchange_n(&awake[t], 1, rlx))
		redundant();
	if (!(__atomic_fetch_and(&c->waiting, ~(1ul << t), acqrel) & 1ul << t))
		redundant();
}

// wake_spuriously ends the wait of thread t.
static __attribute__((noinline)) int wake_spuriously(cond *c, mutex *m, u64 t)
{
	int result = pthread_mutex_lock(m);
	leave(c, t);
	return result;
}

int __ravel_cond_wait(cond *c, mutex *m, int spurious)
{
	if (spurious)
		cancellation_point();
	u64 t = begin_wait(c);
	pthread_mutex_unlock(m);
	if (spurious)
		return wake_spuriously(c, m, t);
	if (__ravel_if_cancellable())
		await_or_cancel(c, m, t);
	else
		while (!load(&awake[t], rlx))
			;
	return pthread_mutex_lock(m);
}

int pthread_cond_wait(cond *c, mutex *m)
{
	int spurious = __ravel_spurious(2);
	int result = __ravel_cond_wait(c, m, spurious);
	if (spurious)
		__ravel_spurious(1);
	return result;
}

// A wait that times out need not be in the set: a signal that finds it there either wakes it or
// somebody else. One that does not time out is woken, so it is no deadlock if it never is.
static int timed_wait(cond *c, mutex *m, const timespec *until)
{
	cancellation_point();
	u32 ends = __ravel_timed(3);
	if (ends == 2) {
		int result = __ravel_cond_wait(c, m, 1);
		__ravel_timed(1);
		__ravel_in_time();
		return result;
	}
	if (ends == 1) {
		pthread_mutex_unlock(m);
		pthread_mutex_lock(m);
		__ravel_timed(1);
		__ravel_passed(__ravel_nanoseconds(until));
		return ETIMEDOUT;
	}
	__ravel_in_time();
	u64 t = begin_wait(c);
	pthread_mutex_unlock(m);
	__ravel_assume(load(&awake[t], rlx));
	return pthread_mutex_lock(m);
}

int pthread_cond_timedwait(cond *c, mutex *m, const void *until) { return timed_wait(c, m, until); }
int pthread_cond_clockwait(cond *c, mutex *m, int clock, const void *until) { return timed_wait(c, m, until); }

// waiters returns the set for a signal.
INLINE unsigned long waiters(cond *c)
{
	unsigned long set = load(&c->waiting, rlx);
	if (set & GONE)
		misuse_of(&c->waiting, "signal of a destroyed condition variable", "destroyed here");
	return set;
}

int pthread_cond_signal(cond *c)
{
	unsigned long set = waiters(c);
	if (!set)
		return 0;
	unsigned long rest = set;
	u32 n = __builtin_popcountl(set);
	if (n > 1)
		for (u32 skip = __ravel_choose(n); skip; skip--)
			rest &= rest - 1;
	u64 t = __builtin_ctzl(rest);
	if (!cas(&c->waiting, &set, set & ~(1ul << t), acqrel, rlx))
		redundant();
	wake(t);
	return 0;
}

int pthread_cond_broadcast(cond *c)
{
	unsigned long set = waiters(c);
	if (!set)
		return 0;
	if (!cas(&c->waiting, &set, 0, acqrel, rlx))
		redundant();
	for (; set; set &= set - 1)
		wake(__builtin_ctzl(set));
	return 0;
}

// std::condition_variable_any has a lock of the program's own, so its waits are in the header (include/condition_variable), made of these. An
// enter says how the wait ends, and puts the thread into the set; the header unlocks, sleeps and locks, and calls the end.
enum { WOKEN, LATE, SPURIOUS };

u32 __ravel_any_enter(cond *c)
{
	u32 how = __ravel_spurious(2) ? SPURIOUS : WOKEN;
	begin_wait(c);
	return how;
}

u32 __ravel_any_enter_timed(cond *c)
{
	u32 how = __ravel_timed(3);
	if (how == WOKEN)
		__ravel_in_time();
	if (how != LATE)
		begin_wait(c);
	return how;
}

void __ravel_any_sleep(void)
{
	u64 t = __ravel_self();
	while (!load(&awake[t], rlx))
		;
}

void __ravel_any_sleep_timed(void) { __ravel_assume(load(&awake[__ravel_self()], rlx)); }

void __ravel_any_end(cond *c, u32 how)
{
	if (how != SPURIOUS)
		return;
	leave(c, __ravel_self());
	__ravel_spurious(1);
}

void __ravel_any_end_timed(cond *c, u32 how, i64 until)
{
	if (how == WOKEN)
		return;
	if (how == SPURIOUS)
		leave(c, __ravel_self());
	__ravel_timed(1);
	if (how == SPURIOUS)
		__ravel_in_time();
	else
		__ravel_passed(until);
}

// A thread that has entered the set and then sees that it is to stop does not wait, however the wait would have ended. A signal that chose it while it was in the set
// came before it entered, or after it left.
void __ravel_any_quit(cond *c, u32 how)
{
	if (how != WOKEN)
		redundant();
	u64 t = __ravel_self();
	if (!__atomic_exchange_n(&awake[t], 1, rlx) && !(__atomic_fetch_and(&c->waiting, ~(1ul << t), acqrel) & 1ul << t))
		redundant();
}

// What a request to stop does, which does not have the lock: by an RMW, so that a thread is in the set by then, or sees the request after it has entered.
void __ravel_any_stop(cond *c)
{
	for (unsigned long set = __atomic_fetch_and(&c->waiting, GONE, acqrel); set; set &= set - 1)
		wake(__builtin_ctzl(set));
}

// Attributes: they keep what they are set to, which has no effect. The type has four bytes.
int pthread_condattr_init(u8 *a)
{
	a[0] = a[1] = 0;
	return 0;
}
int pthread_condattr_destroy(void *a) { return 0; }
int pthread_condattr_setclock(u8 *a, int clock)
{
	a[0] = clock;
	return 0;
}
int pthread_condattr_getclock(const u8 *a, int *clock)
{
	*clock = a[0];
	return 0;
}
int pthread_condattr_setpshared(u8 *a, int v)
{
	a[1] = v;
	return 0;
}
int pthread_condattr_getpshared(const u8 *a, int *v)
{
	*v = a[1];
	return 0;
}
