// The Linux kernel's queued spinlock, its algorithm written anew for this example: kernel/locking/qspinlock.c as of 2021, in the form
// that it has for machines with very many processors, where all fields of the lock are changed by atomic operations on the whole word.
//
// The word is 0 if the lock is free. LOCKED is set by the owner, PENDING by the one thread that waits for the owner at the word
// itself. Everyone else queues up, each at a node of its own; TAIL is the number of the last node. The head of the queue waits
// for both bits to go away, takes the lock, and makes the next one the head.
//
// -DRELAXED_UNLOCK, -DRELAXED_WAIT, -DRELAXED_HANDOVER: without a release or an acquire that is needed (wrong).
// -DNO_WMB: a node may be found before it is set up, and its owner waits for ever (wrong).
#include <lkmm.h>

#ifdef RELAXED_WAIT
#define WAIT_FOR(v, cond) atomic_cond_read_relaxed(v, cond)
#else
#define WAIT_FOR(v, cond) atomic_cond_read_acquire(v, cond)
#endif

#define LOCKED 1
#define PENDING 2
#define TAIL(cpu) (((cpu) + 1) << 2)
#define TAIL_MASK (~(LOCKED | PENDING))
#define CPU(tail) (((tail) >> 2) - 1)

struct qspinlock {
	atomic_t val;
};

struct qnode {
	struct qnode *next;
	int locked;
};

static struct qnode qnodes[8]; // one for each cpu

// The tail is swapped without any order: smp_wmb and the dependency of the next in line on the tail it finds are enough.
static int qspin_swap_tail(struct qspinlock *lock, int tail)
{
	int old = atomic_read(&lock->val);
	while (!atomic_try_cmpxchg_relaxed(&lock->val, &old, (old & ~TAIL_MASK) | tail))
		;
	return old;
}

static void qspin_queue(struct qspinlock *lock, int cpu)
{
	struct qnode *node = &qnodes[cpu], *next = 0;
	WRITE_ONCE(node->locked, 0);
	WRITE_ONCE(node->next, 0);
#ifndef NO_WMB
	smp_wmb();
#endif
	int old = qspin_swap_tail(lock, TAIL(cpu));
	if (old & TAIL_MASK) {
		WRITE_ONCE(qnodes[CPU(old)].next, node);
		smp_cond_load_acquire(&node->locked, VAL);
	}
	int val = WAIT_FOR(&lock->val, !(VAL & (LOCKED | PENDING)));
	if ((val & TAIL_MASK) == TAIL(cpu) && atomic_try_cmpxchg_relaxed(&lock->val, &val, LOCKED))
		return; // nobody is behind
	atomic_or(LOCKED, &lock->val);
	next = smp_cond_load_relaxed(&node->next, VAL);
#ifdef RELAXED_HANDOVER
	WRITE_ONCE(next->locked, 1);
#else
	smp_store_release(&next->locked, 1);
#endif
}

static void qspin_lock(struct qspinlock *lock, int cpu)
{
	int val = 0;
	if (atomic_try_cmpxchg_acquire(&lock->val, &val, LOCKED))
		return;
	if (val & ~LOCKED) {
		qspin_queue(lock, cpu);
		return;
	}
	val = atomic_fetch_or_acquire(PENDING, &lock->val);
	if (val & ~LOCKED) {
		if (!(val & PENDING))
			atomic_andnot(PENDING, &lock->val);
		qspin_queue(lock, cpu);
		return;
	}
	if (val & LOCKED)
		WAIT_FOR(&lock->val, !(VAL & LOCKED));
	atomic_add(LOCKED - PENDING, &lock->val);
}

static void qspin_unlock(struct qspinlock *lock)
{
#ifdef RELAXED_UNLOCK
	(void)atomic_sub_return_relaxed(LOCKED, &lock->val);
#else
	(void)atomic_sub_return_release(LOCKED, &lock->val);
#endif
}
