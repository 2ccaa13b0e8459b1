// Read-write locks. Readers come before waiting writers, as in glibc by default.
//
// Each lock and each unlock is one RMW or one store, so the number of executions is that of an abstract lock.
#include "rt.h"

typedef struct {
	u32 state; // WRITER, or READER times the number of readers
	u32 owner; // the writer's name
} rwlock;

#define WRITER 1u
#define READER 2u

int pthread_rwlock_init(rwlock *l, const void *attr)
{
	store(&l->state, 0, rlx);
	store(&l->owner, 0, rlx);
	return 0;
}

int pthread_rwlock_destroy(rwlock *l)
{
	u32 w = load(&l->state, rlx);
	if (w == DESTROYED)
		misuse_of(&l->state, "destroy of a read-write lock that is destroyed already", "destroyed here before");
	if (w)
		misuse_of(&l->state, "destroy of a locked read-write lock", "locked here");
	store(&l->state, DESTROYED, rlx);
	return 0;
}

// found looks at the state that an attempt to lock found.
INLINE void found(rwlock *l, u32 w)
{
	if (w == DESTROYED)
		misuse_of(&l->state, "lock of a destroyed read-write lock", "destroyed here");
}

int pthread_rwlock_rdlock(rwlock *l)
{
	u32 w;
	do {
		w = __ravel_add_unless(&l->state, READER, WRITER);
		found(l, w);
	} while (w == WRITER);
	return 0;
}

INLINE int tryrdlock(rwlock *l, int busy)
{
	u32 w = __ravel_add_unless(&l->state, READER, WRITER);
	found(l, w);
	return w == WRITER ? busy : 0;
}

int pthread_rwlock_wrlock(rwlock *l)
{
	for (u32 w = 0; !cas(&l->state, &w, WRITER, acq, rlx); w = 0)
		found(l, w);
	store(&l->owner, me(), rlx);
	return 0;
}

INLINE int trywrlock(rwlock *l, int busy)
{
	u32 w = 0;
	if (!cas(&l->state, &w, WRITER, acq, rlx)) {
		found(l, w);
		return busy;
	}
	store(&l->owner, me(), rlx);
	return 0;
}

// While a thread holds the lock, the owner has one possible value.
int pthread_rwlock_unlock(rwlock *l)
{
	if (load(&l->owner, rlx) == me()) {
		store(&l->owner, 0, rlx);
		store(&l->state, 0, rel);
		return 0;
	}
	u32 w = __atomic_fetch_sub(&l->state, READER, rel);
	if (w == DESTROYED)
		misuse_of(&l->state, "unlock of a destroyed read-write lock", "destroyed here");
	if (w & WRITER)
		misuse_of(&l->state, "unlock of a read-write lock that another thread holds", "locked here");
	if (w < READER)
		misuse_of(&l->state, "unlock of a read-write lock that is not locked", "unlocked here before");
	return 0;
}

// A lock with a timeout: see pthread_mutex_timedlock.
int pthread_rwlock_tryrdlock(rwlock *l) { return tryrdlock(l, EBUSY); }
int pthread_rwlock_timedrdlock(rwlock *l, const void *until) { return tryrdlock(l, ETIMEDOUT); }
int pthread_rwlock_clockrdlock(rwlock *l, int clock, const void *until) { return tryrdlock(l, ETIMEDOUT); }
int pthread_rwlock_trywrlock(rwlock *l) { return trywrlock(l, EBUSY); }
int pthread_rwlock_timedwrlock(rwlock *l, const void *until) { return trywrlock(l, ETIMEDOUT); }
int pthread_rwlock_clockwrlock(rwlock *l, int clock, const void *until) { return trywrlock(l, ETIMEDOUT); }

// Attributes: they keep what they are set to, which has no effect. The type has eight bytes.
int pthread_rwlockattr_init(int *a)
{
	a[0] = a[1] = 0;
	return 0;
}
int pthread_rwlockattr_destroy(int *a) { return 0; }
int pthread_rwlockattr_setpshared(int *a, int v)
{
	a[0] = v;
	return 0;
}
int pthread_rwlockattr_getpshared(const int *a, int *v)
{
	*v = a[0];
	return 0;
}
int pthread_rwlockattr_setkind_np(int *a, int v)
{
	a[1] = v;
	return 0;
}
int pthread_rwlockattr_getkind_np(const int *a, int *v)
{
	*v = a[1];
	return 0;
}
