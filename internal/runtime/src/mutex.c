// Mutexes and spin locks.
//
// The lock word is 0, or the owner's name in the low half with the number of times a recursive
// mutex was locked again in the high half. So lock is one RMW and unlock is one store, after a
// read of the thread's own lock word, which has one possible value: the number of executions
// is that of an abstract lock.
#include "rt.h"

enum { NORMAL, RECURSIVE, ERRORCHECK, ADAPTIVE, KIND = 3 };

#define OWNER 0xffffu
#define AGAIN 0x10000u

int pthread_mutex_init(mutex *m, const u32 *attr)
{
	store(&m->lock, 0, rlx);
	store(&m->kind, attr ? *attr & KIND : NORMAL, rlx);
	return 0;
}

int pthread_mutex_destroy(mutex *m)
{
	u32 w = load(&m->lock, rlx);
	if (w == DESTROYED)
		misuse_of(&m->lock, "destroy of a mutex that is destroyed already", "destroyed here before");
	if (w)
		misuse_of(&m->lock, "destroy of a locked mutex", "locked here");
	store(&m->lock, DESTROYED, rlx);
	return 0;
}

// again is a lock of a mutex with lock word w: one that is destroyed, or that the thread holds
// already. busy is the answer where a lock would wait, or 0 where it does wait.
static int again(mutex *m, u32 w, int busy)
{
	if (w == DESTROYED)
		misuse_of(&m->lock, "lock of a destroyed mutex", "destroyed here");
	switch (load(&m->kind, rlx) & KIND) {
	case RECURSIVE:
		if (w + AGAIN < w)
			return EAGAIN;
		store(&m->lock, w + AGAIN, rlx);
		return 0;
	case ERRORCHECK:
		return busy == EBUSY ? EBUSY : EDEADLK;
	}
	if (busy)
		return busy;
	__ravel_error_at("deadlock", "lock of a mutex that the thread holds already\nlocked here before", &m->lock);
}

// The loop has no side effects: the machine sees that and blocks the thread until somebody
// writes the lock word.
int pthread_mutex_lock(mutex *m)
{
	u32 self = me(), w;
	do {
		w = 0;
		if (cas(&m->lock, &w, self, acq, rlx))
			return 0;
	} while ((w & OWNER) != self && w != DESTROYED);
	return again(m, w, 0);
}

INLINE int trylock(mutex *m, int busy)
{
	u32 self = me(), w = 0;
	if (cas(&m->lock, &w, self, acq, rlx))
		return 0;
	return (w & OWNER) == self || w == DESTROYED ? again(m, w, busy) : busy;
}

int pthread_mutex_trylock(mutex *m) { return trylock(m, EBUSY); }

// A lock with a timeout either finds the mutex free at some moment or sees it held and gives
// up: a trylock has both outcomes.
int pthread_mutex_timedlock(mutex *m, const void *until) { return trylock(m, ETIMEDOUT); }
int pthread_mutex_clocklock(mutex *m, int clock, const void *until) { return trylock(m, ETIMEDOUT); }

// not_owned is an unlock of a mutex with lock word w by a thread that does not hold it. POSIX has an answer
// for mutexes that know their owner; for others the behaviour is undefined.
static int not_owned(mutex *m, u32 w)
{
	if (w == DESTROYED)
		misuse_of(&m->lock, "unlock of a destroyed mutex", "destroyed here");
	switch (load(&m->kind, rlx) & KIND) {
	case RECURSIVE:
	case ERRORCHECK:
		return EPERM;
	}
	if (w == 0)
		misuse_of(&m->lock, "unlock of a mutex that is not locked", "unlocked here before");
	misuse_of(&m->lock, "unlock of a mutex that another thread holds", "locked here");
}

int pthread_mutex_unlock(mutex *m)
{
	u32 w = load(&m->lock, rlx);
	if ((w & OWNER) != me())
		return not_owned(m, w);
	if (w & ~OWNER)
		store(&m->lock, w - AGAIN, rlx);
	else
		store(&m->lock, 0, rel);
	return 0;
}

// Attributes: they keep what they are set to, and only the kind matters. The type is a union with one int in it.
int pthread_mutexattr_init(u32 *a)
{
	*a = NORMAL;
	return 0;
}

int pthread_mutexattr_settype(u32 *a, int kind)
{
	if (kind < NORMAL || kind > ADAPTIVE)
		return EINVAL;
	*a = (*a & ~KIND) | kind;
	return 0;
}

int pthread_mutexattr_gettype(const u32 *a, int *kind)
{
	*kind = *a & KIND;
	return 0;
}

int pthread_mutexattr_destroy(u32 *a) { return 0; }

#define MUTEX_ATTRIBUTE(name, shift, most)                                      \
	int pthread_mutexattr_set##name(u32 *a, int v)                      \
	{                                                                   \
		if (v < 0 || v > most)                                      \
			return EINVAL;                                      \
		*a = (*a & ~(most << shift)) | v << shift;                  \
		return 0;                                                   \
	}                                                                   \
	int pthread_mutexattr_get##name(const u32 *a, int *v)               \
	{                                                                   \
		*v = *a >> shift & most;                                    \
		return 0;                                                   \
	}
MUTEX_ATTRIBUTE(pshared, 2, 1u)
MUTEX_ATTRIBUTE(robust, 3, 1u)
MUTEX_ATTRIBUTE(protocol, 4, 3u)
MUTEX_ATTRIBUTE(prioceiling, 8, 127u)
int pthread_mutex_consistent(mutex *m) { return 0; }

// Spin locks: the same word, without kinds.
int pthread_spin_init(u32 *l, int shared)
{
	store(l, 0, rlx);
	return 0;
}

int pthread_spin_destroy(u32 *l)
{
	if (load(l, rlx))
		misuse_of(l, "destroy of a locked spin lock", "locked here");
	return 0;
}

int pthread_spin_lock(u32 *l)
{
	u32 self = me(), w;
	do {
		w = 0;
		if (cas(l, &w, self, acq, rlx))
			return 0;
	} while (w != self);
	__ravel_error_at("deadlock", "lock of a spin lock that the thread holds already\nlocked here before", l);
}

int pthread_spin_trylock(u32 *l)
{
	u32 w = 0;
	return cas(l, &w, me(), acq, rlx) ? 0 : EBUSY;
}

int pthread_spin_unlock(u32 *l)
{
	u32 w = load(l, rlx);
	if (w != me()) {
		if (w == 0)
			misuse_of(l, "unlock of a spin lock that is not locked", "unlocked here before");
		misuse_of(l, "unlock of a spin lock that another thread holds", "locked here");
	}
	store(l, 0, rel);
	return 0;
}
