// Monitors of Java's objects (JLS 17.1, 17.2), which every object begins with. They are recursive mutexes with a set of waiting threads.
//
// The lock word is that of mutex.c: 0, or the owner's name in the low half with the number of times it was locked again in the high half.
#include "rt.h"

typedef struct {
	u32 lock;
	u32 unused;
	cond waiters;
} monitor;

#define OWNER 0xffffu
#define AGAIN 0x10000u

INLINE int holds(u32 w) { return (w & OWNER) == me(); }

void __ravel_java_enter(monitor *m)
{
	u32 self = me(), w;
	do {
		w = 0;
		if (cas(&m->lock, &w, self, acq, rlx))
			return;
	} while ((w & OWNER) != self);
	store(&m->lock, w + AGAIN, rlx);
}

// The functions that need the monitor return 0 if the thread does not hold it.
int __ravel_java_exit(monitor *m)
{
	u32 w = load(&m->lock, rlx);
	if (!holds(w))
		return 0;
	if (w & ~OWNER)
		store(&m->lock, w - AGAIN, rlx);
	else
		store(&m->lock, 0, rel);
	return 1;
}

int __ravel_java_holds(monitor *m) { return holds(load(&m->lock, rlx)); }

int __ravel_java_try(monitor *m)
{
	u32 self = me(), w = 0;
	if (cas(&m->lock, &w, self, acq, rlx))
		return 1;
	if ((w & OWNER) != self)
		return 0;
	store(&m->lock, w + AGAIN, rlx);
	return 1;
}

// A wait gives the monitor back as often as the thread has taken it. The set of threads is that of the object itself, or of a Condition.
int __ravel_java_wait(monitor *m, monitor *set)
{
	u32 w = load(&m->lock, rlx);
	if (!holds(w))
		return 0;
	int spurious = __ravel_spurious(2);
	if (w & ~OWNER)
		store(&m->lock, w & OWNER, rlx);
	__ravel_cond_wait(&set->waiters, (mutex *)m, spurious);
	if (w & ~OWNER)
		store(&m->lock, w, rlx);
	if (spurious)
		__ravel_spurious(1);
	return 1;
}

int __ravel_java_timed_wait(monitor *m, monitor *set)
{
	u32 w = load(&m->lock, rlx);
	if (!holds(w))
		return 0;
	if (w & ~OWNER)
		store(&m->lock, w & OWNER, rlx);
	timespec now = {0, 0};
	pthread_cond_timedwait(&set->waiters, (mutex *)m, &now);
	if (w & ~OWNER)
		store(&m->lock, w, rlx);
	return 1;
}

int __ravel_java_notify(monitor *m, monitor *set)
{
	if (!holds(load(&m->lock, rlx)))
		return 0;
	pthread_cond_signal(&set->waiters);
	return 1;
}

int __ravel_java_notify_all(monitor *m, monitor *set)
{
	if (!holds(load(&m->lock, rlx)))
		return 0;
	pthread_cond_broadcast(&set->waiters);
	return 1;
}
