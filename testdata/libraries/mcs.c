// The queue lock of Mellor-Crummey and Scott with macros of kernels.
#include <pthread.h>
#include <assert.h>
#define READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v) (*(volatile __typeof__(x) *)&(x) = (v))
#define smp_store_release(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
#define smp_load_acquire(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define likely(x) __builtin_expect(!!(x), 1)
typedef struct mcs_node {
	struct mcs_node *next;
	int locked;
}
mcs_node;
typedef struct {
	mcs_node *tail;
}
mcs_lock;
static __thread mcs_node nodes[2];
static __thread int depth;
static void lock(mcs_lock *l) {
	mcs_node *n = &nodes[depth++];
	WRITE_ONCE(n->next, (mcs_node *)0);
	WRITE_ONCE(n->locked, 0);
	mcs_node *p = __atomic_exchange_n(&l->tail, n, __ATOMIC_ACQ_REL);
	if (likely(!p)) return;
	smp_store_release(&p->next, n);
	while (!smp_load_acquire(&n->locked)) ;
}
static void unlock(mcs_lock *l) {
	mcs_node *n = &nodes[--depth];
	mcs_node *s = smp_load_acquire(&n->next);
	if (!s) {
		mcs_node *e = n;
		if (__atomic_compare_exchange_n(&l->tail, &e, 0, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) return;
		while (!(s = smp_load_acquire(&n->next))) ;
	}
	smp_store_release(&s->locked, 1);
}
static mcs_lock L;
static int count;
static void *w(void *a) {
	lock(&L);
	count++;
	unlock(&L);
	return 0;
}
int main(void) {
	pthread_t t[3];
	for (int i = 0; i < 3; i++) pthread_create(t + i, 0, w, 0);
	for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
	assert(count == 3);
	return 0;
}
