// Loops that wait for one place, and look at another one that others do not change.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#ifndef N
#define N 3
#endif

#if defined(LOCAL) // a flag of each thread, and a counter of its rounds that is thread-local
static atomic_int in[N], go;
static _Thread_local int rounds;

static void barrier(int i)
{
	rounds++;
	if (i > 0) {
		atomic_store_explicit(&in[i], rounds, memory_order_release);
		while (atomic_load_explicit(&go, memory_order_acquire) != rounds)
			;
		return;
	}
	for (int k = 1; k < N; k++)
		while (atomic_load_explicit(&in[k], memory_order_acquire) != rounds)
			;
	atomic_store_explicit(&go, rounds, memory_order_release);
}
#define ROUNDS 2
#else // a count of all, and how many there are
struct barrier {
	int size;
	atomic_int arrived;
};
#ifdef HEAP
static struct barrier *b;
#else
static struct barrier global, *b = &global;
#endif

static void barrier(int i)
{
	(void)i;
	atomic_fetch_add_explicit(&b->arrived, 1, memory_order_acq_rel);
	while (atomic_load_explicit(&b->arrived, memory_order_acquire) < b->size)
		;
}
#define ROUNDS 1
#endif

static int data[N][ROUNDS];

static void *work(void *arg)
{
	int i = (int)(intptr_t)arg;
	for (int r = 0; r < ROUNDS; r++) {
		data[i][r] = 1;
		barrier(i);
		for (int k = 0; k < N; k++)
			assert(data[k][r]);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[N];
#ifdef HEAP
	b = malloc(sizeof *b);
	atomic_init(&b->arrived, 0);
#endif
#ifndef LOCAL
	b->size = N;
#endif
	for (int i = 0; i < N; i++)
		pthread_create(&t[i], NULL, work, (void *)(intptr_t)i);
#ifdef CHANGES // none has to wait from now on
	b->size = 1;
#endif
	for (int i = 0; i < N; i++)
		pthread_join(t[i], NULL);
#ifndef LOCAL
	b->size = 0;
#endif
#ifdef HEAP
	free(b);
#endif
}
