// A list that readers walk under RCU while an updater adds an element and removes another.
//
// -DREADERS=N: how many walk.
// -DNO_RELEASE: a reader may find the new element before it is set up (wrong).
// -DNO_GRACE: the removed element is freed while readers may still be at it (wrong).
// -DNO_READ_LOCK: readers don't say that they are reading (wrong).
#include <assert.h>
#include <lkmm.h>
#include <pthread.h>
#include <stddef.h>

#ifndef READERS
#define READERS 1
#endif

struct element {
	struct element *next;
	int key;
};

static struct element *head;

static void *reader(void *unused)
{
	int sum = 0;
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
		pthread_create(&r[i], 0, reader, 0);
	pthread_join(u, 0);
	for (int i = 0; i < READERS; i++)
		pthread_join(r[i], 0);
	kfree(head);
}
