// An arena that grows, in C11. -DBUG publishes a chunk without release.
#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>
#include <assert.h>
typedef struct chunk {
	struct chunk *prev;
	size_t cap;
	atomic_size_t used;
	alignas(max_align_t) unsigned char data[];
}
chunk;
typedef struct arena {
	_Atomic(chunk *) top;
	mtx_t grow;
	size_t chunk_size;
}
arena;
static chunk *chunk_new(chunk *prev, size_t cap) {
	chunk *c = malloc(sizeof *c + cap);
	if (!c) return NULL;
	c->prev = prev;
	c->cap = cap;
	atomic_init(&c->used, 0);
	return c;
}
int arena_init(arena *a, size_t sz) {
	chunk *c = chunk_new(NULL, sz);
	if (!c) return -1;
	atomic_init(&a->top, c);
	a->chunk_size = sz;
	return mtx_init(&a->grow, mtx_plain) == thrd_success ? 0 : -1;
}
static inline size_t up(size_t n, size_t al) {
	return (n + al - 1) & ~(al - 1);
}
void *arena_alloc(arena *a, size_t n) {
	n = up(n, alignof(max_align_t));
	for (;;) {
		chunk *c = atomic_load_explicit(&a->top, memory_order_acquire);
		size_t off = atomic_load_explicit(&c->used, memory_order_relaxed);
		while (off + n <= c->cap) if (atomic_compare_exchange_weak_explicit(&c->used, &off, off + n, memory_order_relaxed, memory_order_relaxed)) return c->data + off;
		mtx_lock(&a->grow);
		if (atomic_load_explicit(&a->top, memory_order_relaxed) == c) {
			chunk *d = chunk_new(c, n > a->chunk_size ? n : a->chunk_size);
			if (!d) {
				mtx_unlock(&a->grow);
				return NULL;
			}
#ifdef BUG
			atomic_store_explicit(&a->top, d, memory_order_relaxed);
#else
			atomic_store_explicit(&a->top, d, memory_order_release);
#endif
		}
		mtx_unlock(&a->grow);
	}
}
void arena_free(arena *a) {
	chunk *c = atomic_load(&a->top);
	while (c) {
		chunk *p = c->prev;
		free(c);
		c = p;
	}
	mtx_destroy(&a->grow);
}
static arena A;
struct pair {
	int x, y;
};
static int work(void *arg) {
	int id = *(int *)arg;
	struct pair *p = arena_alloc(&A, sizeof *p);
	p->x = id;
	p->y = -id;
	struct pair *q = arena_alloc(&A, sizeof *q);
	assert(((uintptr_t)q & 15) == 0);
	q->x = id;
	q->y = id;
	return p->x + p->y == 0 && q->x == id ? 0 : 1;
}
int main(void) {
	if (arena_init(&A, 32)) return 1;
	thrd_t t[2];
	int id[2] = {1, 2}, r;
	for (int i = 0; i < 2; i++) if (thrd_create(&t[i], work, &id[i]) != thrd_success) return 1;
	for (int i = 0; i < 2; i++) {
		thrd_join(t[i], &r);
		assert(r == 0);
	}
	arena_free(&A);
	printf("%d %zu\n", r, A.chunk_size);
}
