// Read-copy-update in user space, with callbacks. -DBUG leaves out the fence of readers.
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <assert.h>
#include <errno.h>
#define MAX_READERS 2
struct rcu_head {
	struct rcu_head *next;
	void (*func)(struct rcu_head *);
};
struct rcu_reader {
	_Alignas(64) atomic_ulong ctr;
	bool used;
};
struct rcu_domain {
	atomic_ulong gp;
	struct rcu_reader readers[MAX_READERS];
	struct rcu_head *cbs;
	pthread_mutex_t lock;
};
struct rcu_ops {
	void (*read_lock)(struct rcu_domain *, int);
	void (*read_unlock)(struct rcu_domain *, int);
	void (*synchronize)(struct rcu_domain *);
	void (*call)(struct rcu_domain *, struct rcu_head *, void (*)(struct rcu_head *));
};
static void lock_mb(struct rcu_domain *d, int i) {
	unsigned long g = atomic_load_explicit(&d->gp, memory_order_relaxed);
	atomic_store_explicit(&d->readers[i].ctr, g, memory_order_relaxed);
#ifndef BUG
	atomic_thread_fence(memory_order_seq_cst);
#endif
}
static void unlock_mb(struct rcu_domain *d, int i) {
	atomic_store_explicit(&d->readers[i].ctr, 0, memory_order_release);
}
static void sync_mb(struct rcu_domain *d) {
	atomic_thread_fence(memory_order_seq_cst);
	pthread_mutex_lock(&d->lock);
	unsigned long g = atomic_fetch_add(&d->gp, 2) + 2;
	atomic_thread_fence(memory_order_seq_cst);
	for (int i = 0; i < MAX_READERS; i++)     for (;;) {
		unsigned long c = atomic_load_explicit(&d->readers[i].ctr, memory_order_acquire);
		if (!c || c >= g) break;
	}
	struct rcu_head *h = d->cbs;
	d->cbs = NULL;
	pthread_mutex_unlock(&d->lock);
	while (h) {
		struct rcu_head *n = h->next;
		h->func(h);
		h = n;
	}
}
static void call_mb(struct rcu_domain *d, struct rcu_head *h, void (*f)(struct rcu_head *)) {
	h->func = f;
	pthread_mutex_lock(&d->lock);
	h->next = d->cbs;
	d->cbs = h;
	pthread_mutex_unlock(&d->lock);
}
static const struct rcu_ops rcu_mb = { .read_lock = lock_mb, .read_unlock = unlock_mb, .synchronize = sync_mb, .call = call_mb };
#define container_of(p, t, m) ((t *)((char *)(p) - __builtin_offsetof(t, m)))
struct item {
	int key;
	char name[8];
	struct rcu_head rcu;
};
static struct rcu_domain dom = { .gp = 2, .lock = PTHREAD_MUTEX_INITIALIZER };
static const struct rcu_ops *ops = &rcu_mb;
static _Atomic(struct item *) current;
static void item_free(struct rcu_head *h) {
	struct item *i = container_of(h, struct item, rcu);
	memset(i, 0xff, sizeof *i);
	free(i);
}
static struct item *item_new(int k, const char *n) {
	struct item *i = calloc(1, sizeof *i);
	if (!i) abort();
	i->key = k;
	strncpy(i->name, n, sizeof i->name - 1);
	return i;
}
static void *reader(void *arg) {
	int id = (int)(long)arg;
	ops->read_lock(&dom, id);
	struct item *i = atomic_load_explicit(&current, memory_order_acquire);
	assert(i->key == 1 ? !strcmp(i->name, "one") : !strcmp(i->name, "two"));
	ops->read_unlock(&dom, id);
	return NULL;
}
static void *writer(void *arg) {
	struct item *n = item_new(2, "two");
	struct item *o = atomic_exchange_explicit(&current, n, memory_order_acq_rel);
	ops->call(&dom, &o->rcu, item_free);
	ops->synchronize(&dom);
	return NULL;
}
int main(void) {
	atomic_init(&current, item_new(1, "one"));
	pthread_t t[2];
	if (pthread_create(&t[0], NULL, writer, NULL) || pthread_create(&t[1], NULL, reader, (void *)0L)) abort();
	for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
	free(atomic_load(&current));
	return 0;
}
