// A list that readers walk under RCU while an updater adds an element and removes another.
//
// -DREADERS=N: how many walk.
// -DNO_RELEASE: a reader may find the new element before it is set up (wrong).
// -DNO_GRACE: the removed element is freed while readers may still be at it (wrong).
// -DNO_READ_LOCK: readers don't say that they are reading (wrong).
// -DURCU: with an implementation of RCU instead of what the model knows about it: the one with memory barriers of Desnoyers,
//   McKenney, Stern, Dagenais, Walpole, "User-level implementations of read-copy update", TPDS 2012, without nesting.
// -DNO_LOCK_MB: reading may begin before that is seen (wrong).
// -DNO_UNLOCK_MB: reading may go on after its end is seen (wrong).
// -DNO_WAIT_MB: the updater may see that no one reads before the element is out of the list (wrong).
#include <assert.h>
#include <lkmm.h>
#include <pthread.h>
#include <stddef.h>

#ifndef READERS
#define READERS 1
#endif

#ifdef URCU
static unsigned long period = 1, reading[READERS]; // the phase, and in which one each reader began; 0: it does not read
static _Thread_local int self;

static void urcu_read_lock(void)
{
	WRITE_ONCE(reading[self], READ_ONCE(period));
#ifndef NO_LOCK_MB
	smp_mb();
#endif
}

static void urcu_read_unlock(void)
{
#ifndef NO_UNLOCK_MB
	smp_mb();
#endif
	WRITE_ONCE(reading[self], 0);
}

static void next_phase(void)
{
	unsigned long now = period ^ 2;
	WRITE_ONCE(period, now);
	for (int i = 0; i < READERS; i++)
		for (;;) {
			unsigned long r = READ_ONCE(reading[i]);
			if (!r || r == now)
				break;
		}
}

static void urcu_synchronize(void)
{
#ifndef NO_WAIT_MB
	smp_mb();
#endif
	next_phase();
	next_phase();
	smp_mb();
}

#undef rcu_read_lock
#undef rcu_read_unlock
#undef synchronize_rcu
#define rcu_read_lock urcu_read_lock
#define rcu_read_unlock urcu_read_unlock
#define synchronize_rcu urcu_synchronize
#endif

struct element {
	struct element *next;
	int key;
};

static struct element *head;

static void *reader(void *number)
{
	int sum = 0;
#ifdef URCU
	self = (long)number;
#endif
#ifndef NO_READ_LOCK
	rcu_read_lock();
#endif
	for (struct element *e = rcu_dereference(head); e; e = rcu_dereference(e->next))
		sum += e->key;
#ifndef NO_READ_LOCK
	rcu_read_unlock();
#endif
	// 1 is there from the beginning and goes; 2 comes before that.
	assert(sum == 1 || sum == 3 || sum == 2);
	return 0;
}

static struct element *add(int key, struct element *next)
{
	struct element *e = kmalloc(sizeof *e, GFP_KERNEL);
	e->key = key;
	e->next = next;
	return e;
}

static void *updater(void *unused)
{
	struct element *old = head;
	struct element *e = add(2, old);
#ifdef NO_RELEASE
	WRITE_ONCE(head, e);
#else
	rcu_assign_pointer(head, e);
#endif
	WRITE_ONCE(e->next, NULL);
#ifndef NO_GRACE
	synchronize_rcu();
#endif
	kfree(old);
	return 0;
}

int main(void)
{
	pthread_t u, r[READERS];
	head = add(1, NULL);
	pthread_create(&u, 0, updater, 0);
	for (int i = 0; i < READERS; i++)
		pthread_create(&r[i], 0, reader, (void *)(long)i);
	pthread_join(u, 0);
	for (int i = 0; i < READERS; i++)
		pthread_join(r[i], 0);
	kfree(head);
}
