// Peterson's lock for N threads: at each level, the last one that has come waits as long as another one is there or further.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stddef.h>
#ifndef N
#define N 3
#endif
static atomic_int level[N], last[N];
static int inside;
static void *run(void *arg) {
	int me = (int)(intptr_t)arg;
	for (int l = 1; l < N; l++) {
		atomic_store(&level[me], l);
		atomic_store(&last[l], me);
		for (;;) {
			int blocked = 0;
			for (int k = 0; k < N; k++)
				if (k != me && atomic_load(&level[k]) >= l) { blocked = 1; break; }
			if (!blocked || atomic_load(&last[l]) != me) break;
		}
	}
	inside = me;
	assert(inside == me);
	atomic_store(&level[me], 0);
	return NULL;
}
int main(void) {
	pthread_t t[N];
	for (int i = 0; i < N; i++) pthread_create(&t[i], NULL, run, (void *)(intptr_t)i);
	for (int i = 0; i < N; i++) pthread_join(t[i], NULL);
}
