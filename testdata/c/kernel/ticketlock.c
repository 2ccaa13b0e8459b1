// A ticket lock, as the Linux kernel had it before queued locks.
//
// -DTHREADS=N: how many take the lock.
// -DRELAXED_UNLOCK: the next owner need not see what this one did (wrong).
// -DRELAXED_LOCK: the owner may read before it owns the lock (wrong).
#include <assert.h>
#include <lkmm.h>
#include <pthread.h>

#ifndef THREADS
#define THREADS 2
#endif

static atomic_t next_ticket;
static int owner;
static int shared;

static void ticket_lock(void)
{
	int mine = atomic_fetch_inc_relaxed(&next_ticket);
#ifdef RELAXED_LOCK
	while (READ_ONCE(owner) != mine)
		cpu_relax();
#else
	while (smp_load_acquire(&owner) != mine)
		cpu_relax();
#endif
}

static void ticket_unlock(void)
{
#ifdef RELAXED_UNLOCK
	WRITE_ONCE(owner, owner + 1);
#else
	smp_store_release(&owner, owner + 1);
#endif
}

static void *run(void *unused)
{
	ticket_lock();
	shared++;
	ticket_unlock();
	return 0;
}

int main(void)
{
	pthread_t t[THREADS];
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], 0, run, 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], 0);
	assert(shared == THREADS);
}
