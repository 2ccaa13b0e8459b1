// A seqlock: readers try again as long as a writer is there, or has been there meanwhile.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#ifndef W
#define W 1
#endif
#ifndef R
#define R 2
#endif
#ifndef K
#define K 2
#endif
static atomic_int seq, a, b;
static void *writer(void *p) {
	for (int i = 1; i <= K; i++) {
		int s = atomic_load_explicit(&seq, memory_order_relaxed);
		atomic_store_explicit(&seq, s + 1, memory_order_relaxed);
		atomic_thread_fence(memory_order_release);
		atomic_store_explicit(&a, i, memory_order_relaxed);
		atomic_store_explicit(&b, i, memory_order_relaxed);
		atomic_store_explicit(&seq, s + 2, memory_order_release);
	}
	return NULL;
}
static void *reader(void *p) {
	int s, x, y;
	do {
		do s = atomic_load_explicit(&seq, memory_order_acquire); while (s & 1);
		x = atomic_load_explicit(&a, memory_order_relaxed);
		y = atomic_load_explicit(&b, memory_order_relaxed);
		atomic_thread_fence(memory_order_acquire);
	} while (atomic_load_explicit(&seq, memory_order_relaxed) != s);
	assert(x == y);
	return NULL;
}
int main(void) {
	pthread_t t[R + W];
	for (int i = 0; i < W; i++) pthread_create(&t[i], NULL, writer, NULL);
	for (int i = 0; i < R; i++) pthread_create(&t[W + i], NULL, reader, NULL);
	for (int i = 0; i < R + W; i++) pthread_join(t[i], NULL);
}
