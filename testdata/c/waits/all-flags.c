// A thread looks at all flags in each round, until all are set.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stddef.h>
#ifndef N
#define N 3
#endif
static atomic_int f[N];
static void *run(void *a) { int me = (int)(intptr_t)a; atomic_store_explicit(&f[me], 1, memory_order_release); return NULL; }
int main(void) {
	pthread_t t[N];
	for (int i = 0; i < N; i++) pthread_create(&t[i], NULL, run, (void*)(intptr_t)i);
	int all;
	do { all = 1; for (int i = 0; i < N; i++) all &= atomic_load_explicit(&f[i], memory_order_acquire); } while (!all);
	for (int i = 0; i < N; i++) pthread_join(t[i], NULL);
}
