// A pool of slots with a tag beside the index of the first free one. -DBUG leaves out the tag: ABA.
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <assert.h>
#define N 2
typedef struct {
	uint32_t next;
	int payload;
}
slot;
static slot pool[N];
static _Atomic uint64_t head;
#define IDX(w) ((uint32_t)(w))
#define TAG(w) ((uint32_t)((w) >> 32))
#define NIL 0xffffffffu
static uint64_t mk(uint32_t tag, uint32_t idx) {
	return (uint64_t)tag << 32 | idx;
}
static uint32_t get(void) {
	uint64_t h = atomic_load_explicit(&head, memory_order_acquire);
	for (;;) {
		if (IDX(h) == NIL) return NIL;
		uint32_t n = __atomic_load_n(&pool[IDX(h)].next, __ATOMIC_RELAXED);
#ifdef BUG
		uint64_t nh = mk(0, n);
#else
		uint64_t nh = mk(TAG(h) + 1, n);
#endif
		if (atomic_compare_exchange_weak_explicit(&head, &h, nh, memory_order_acq_rel, memory_order_acquire)) return IDX(h);
	}
}
static void put(uint32_t i) {
	uint64_t h = atomic_load_explicit(&head, memory_order_relaxed), nh;
	do {
		__atomic_store_n(&pool[i].next, IDX(h), __ATOMIC_RELAXED);
#ifdef BUG
		nh = mk(0, i);
#else
		nh = mk(TAG(h) + 1, i);
#endif
} while (!atomic_compare_exchange_weak_explicit(&head, &h, nh, memory_order_release, memory_order_relaxed));
}
static atomic_bool used[N];
static void own(uint32_t i) {
	if (i == NIL) return;
	assert(!atomic_exchange(&used[i], true));
}
static void disown(uint32_t i) {
	atomic_store(&used[i], false);
}
static void *a(void *x) {
	uint32_t i = get();
	own(i);
	return 0;
}
static void *b(void *x) {
	uint32_t i = get();
	own(i);
	uint32_t j = get();
	own(j);
	if (i != NIL) {
		disown(i);
		put(i);
	}
	return 0;
}
int main(void) {
	pool[0].next = 1;
	pool[1].next = NIL;
	atomic_init(&head, 0);
	pthread_t t[2];
	pthread_create(&t[0], 0, a, 0);
	pthread_create(&t[1], 0, b, 0);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	uint32_t k = get();
	own(k);
	return 0;
}
