// The queued lock of Mellor-Crummey and Scott (TOCS'91): each thread waits at a node of its own.
//
// -DTHREADS=N: how many take the lock.
// -DRELAXED_XCHG: a node may be linked before it is set up (wrong).
// -DRELAXED_HANDOVER: the next owner need not see what this one did (wrong).
// -DRELAXED_LAST: as that, when nobody waits yet (wrong).
#include <assert.h>
#include <lkmm.h>
#include <pthread.h>
#include <stddef.h>

#ifndef THREADS
#define THREADS 2
#endif

struct node {
	struct node *next;
	int locked;
};

static struct node *tail;
static struct node nodes[THREADS];
static int shared;

static void mcs_lock(struct node *me)
{
	WRITE_ONCE(me->next, NULL);
	WRITE_ONCE(me->locked, 0);
#ifdef RELAXED_XCHG
	struct node *prev = xchg_acquire(&tail, me);
#else
	struct node *prev = xchg(&tail, me);
#endif
	if (!prev)
		return;
	WRITE_ONCE(prev->next, me);
	while (!smp_load_acquire(&me->locked))
		cpu_relax();
}

static void mcs_unlock(struct node *me)
{
	struct node *next = READ_ONCE(me->next);
	if (!next) {
#ifdef RELAXED_LAST
		if (cmpxchg_relaxed(&tail, me, NULL) == me)
#else
		if (cmpxchg_release(&tail, me, NULL) == me)
#endif
			return;
		while (!(next = READ_ONCE(me->next)))
			cpu_relax();
	}
#ifdef RELAXED_HANDOVER
	WRITE_ONCE(next->locked, 1);
#else
	smp_store_release(&next->locked, 1);
#endif
}

static void *run(void *arg)
{
	struct node *me = arg;
	mcs_lock(me);
	shared++;
	mcs_unlock(me);
	return 0;
}

int main(void)
{
	pthread_t t[THREADS];
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], 0, run, &nodes[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], 0);
	assert(shared == THREADS);
}
