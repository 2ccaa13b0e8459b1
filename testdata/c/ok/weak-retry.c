// Loops that retry a weak compare-and-swap have as many executions as those with a strong one (STRONG): a spurious failure that leads back to
// where the thread was makes no difference. KIND says how the loop is written.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifdef STRONG
#define cas(a, e, v) atomic_compare_exchange_strong_explicit(a, e, v, memory_order_acq_rel, memory_order_relaxed)
#else
#define cas(a, e, v) atomic_compare_exchange_weak_explicit(a, e, v, memory_order_acq_rel, memory_order_relaxed)
#endif
#define load(a) atomic_load_explicit(a, memory_order_relaxed)

static atomic_int count;

struct node {
	struct node *next;
	_Atomic(struct node *) other;
};
static _Atomic(struct node *) top;
static struct node nodes[3];

static void *work(void *arg)
{
	struct node *n = arg;
#if KIND == 0 // the CAS reads the new value
	int old = load(&count);
	while (!cas(&count, &old, old + 1))
		;
#elif KIND == 1 // a load does
	int old;
	do {
		old = load(&count);
	} while (!cas(&count, &old, old + 1));
#elif KIND == 2 // a store that is not atomic in each round
	struct node *old = load(&top);
	do {
		n->next = old;
	} while (!cas(&top, &old, n));
#elif KIND == 3 // the same after a load
	struct node *old;
	do {
		old = load(&top);
		n->next = old;
	} while (!cas(&top, &old, n));
#elif KIND == 4 // the CAS writes to memory what it has read
	n->next = load(&top);
	while (!cas(&top, &n->next, n))
		;
#elif KIND == 5 // an atomic store in each round
	struct node *old = load(&top);
	do {
		atomic_store_explicit(&n->other, old, memory_order_relaxed);
	} while (!cas(&top, &old, n));
#endif
	return NULL;
}

int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, &nodes[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
#if KIND < 2
	assert(load(&count) == 2);
#else
	struct node *n = load(&top);
	assert(n && (KIND == 5 ? load(&n->other) : n->next));
#endif
	return 0;
}
