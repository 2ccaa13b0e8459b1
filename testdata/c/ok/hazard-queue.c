// The dequeue of Michael and Scott's queue under hazard pointers (Michael, TPDS 2004). A node that was dequeued still leads to the next one, which may be
// retired by then: to protect that one is not wrong, as long as a second look at head comes before it is used.
//
// -DNO_SECOND_LOOK   use it without
// -DONE_HAZARD       do not protect the next node at all
#include <assert.h>
#include <genmc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
	int value;
	_Atomic(struct node *) next;
};

static _Atomic(struct node *) head;

static struct node *new_node(int value)
{
	struct node *n = malloc(sizeof *n);
	n->value = value;
	atomic_init(&n->next, NULL);
	return n;
}

static int dequeue(void)
{
	__VERIFIER_hp_t *hp = __VERIFIER_hp_alloc(), *hp_next = __VERIFIER_hp_alloc();
	struct node *first, *next;
	int value = 0;
	for (;;) {
		first = __VERIFIER_hp_protect(hp, &head);
#ifdef ONE_HAZARD
		next = atomic_load(&first->next);
#else
		next = __VERIFIER_hp_protect(hp_next, &first->next);
#endif
#ifndef NO_SECOND_LOOK
		if (atomic_load(&head) != first)
			continue;
#endif
		if (!next)
			break;
		value = next->value;
		struct node *expected = first;
		if (atomic_compare_exchange_strong(&head, &expected, next)) {
			__VERIFIER_hp_clear(hp);
			__VERIFIER_hp_retire(first);
			break;
		}
	}
	__VERIFIER_hp_free(hp);
	__VERIFIER_hp_free(hp_next);
	return value;
}

static void *once(void *arg)
{
	dequeue();
	return NULL;
}

static void *twice(void *arg)
{
	int a = dequeue(), b = dequeue();
	assert(a != b || a == 0);
	return NULL;
}

int main(void)
{
	struct node *dummy = new_node(0), *a = new_node(1), *b = new_node(2);
	atomic_init(&dummy->next, a);
	atomic_init(&a->next, b);
	atomic_init(&head, dummy);
	pthread_t t, u;
	pthread_create(&t, NULL, once, NULL);
	pthread_create(&u, NULL, twice, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
