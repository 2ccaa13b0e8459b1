// Sense-reversing barrier by hand.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#ifndef N
#define N 3
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif
static atomic_int left = N, sense;
static int slots[N][ROUNDS];
static void barrier(int *mine)
{
	*mine = !*mine;
	if (atomic_fetch_sub_explicit(&left, 1, memory_order_acq_rel) == 1) {
		atomic_store_explicit(&left, N, memory_order_relaxed);
		atomic_store_explicit(&sense, *mine, memory_order_release);
	} else
		while (atomic_load_explicit(&sense, memory_order_acquire) != *mine)
			;
}
static void *work(void *arg)
{
	int (*slot)[ROUNDS] = arg, mine = 0;
	for (int r = 0; r < ROUNDS; r++) {
		(*slot)[r] = r + 1;
		barrier(&mine);
		for (int i = 0; i < N; i++)
			assert(slots[i][r] == r + 1);
	}
	return NULL;
}
int main(void)
{
	pthread_t t[N];
	for (int i = 0; i < N; i++) pthread_create(&t[i], NULL, work, &slots[i]);
	for (int i = 0; i < N; i++) pthread_join(t[i], NULL);
}
