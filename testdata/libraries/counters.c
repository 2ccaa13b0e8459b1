// Counters in shards, with keys of threads, pthread_once, and a table that is sorted when it is first needed.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <assert.h>
#include <stdint.h>
#include <inttypes.h>
#define SHARDS 2
static struct {
	_Alignas(64) atomic_long v;
} shard[SHARDS];
static atomic_uint next_id;
static _Thread_local unsigned my = -1u;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static atomic_int dead;
static void bye(void *p) {
	atomic_fetch_add(&dead, 1);
	free(p);
}
static void init(void) {
	pthread_key_create(&key, bye);
}
static void add(long n) {
	if (my == -1u) {
		my = atomic_fetch_add_explicit(&next_id, 1, memory_order_relaxed) % SHARDS;
		pthread_once(&once, init);
		char *s = malloc(32);
		snprintf(s, 32, "shard-%02u/%" PRIu64, my, (uint64_t)n);
		assert(strlen(s) == 10 && strstr(s, "shard-0"));
		pthread_setspecific(key, s);
	}
	atomic_fetch_add_explicit(&shard[my].v, n, memory_order_relaxed);
}
struct ent {
	char name[8];
	int v;
};
static struct ent tab[3] = {
	{"b", 2}, {"a", 1}, {"c", 3}
};
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static int sorted;
static int cmp(const void *x, const void *y) {
	return strcmp(((const struct ent *)x)->name, ((const struct ent *)y)->name);
}
static int lookup(const char *n) {
	struct ent k = {
		{0}
	};
	strncpy(k.name, n, 7);
	pthread_rwlock_rdlock(&rw);
	if (!sorted) {
		pthread_rwlock_unlock(&rw);
		pthread_rwlock_wrlock(&rw);
		if (!sorted) {
			qsort(tab, 3, sizeof *tab, cmp);
			sorted = 1;
		}
	}
	struct ent *e = bsearch(&k, tab, 3, sizeof *tab, cmp);
	int v = e ? e->v : -1;
	pthread_rwlock_unlock(&rw);
	return v;
}
static void *w(void *a) {
	add((intptr_t)a);
	assert(lookup("c") == 3);
	return 0;
}
int main(void) {
	pthread_t t[2];
	for (intptr_t i = 0; i < 2; i++) pthread_create(&t[i], 0, w, (void *)(i + 1));
	for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
	long s = 0;
	for (int i = 0; i < SHARDS; i++) s += atomic_load(&shard[i].v);
	assert(s == 3 && dead == 2);
	return 0;
}
