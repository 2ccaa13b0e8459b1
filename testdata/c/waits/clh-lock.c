// CLH queue lock: a thread spins on the node of the one before, and takes that node over.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#ifndef N
#define N 3
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif
struct node { atomic_int busy; };
static struct node first, nodes[N];
static struct node *_Atomic tail = &first;
static int counter;
static void *work(void *arg)
{
	struct node *mine = arg;
	for (int i = 0; i < ROUNDS; i++) {
		atomic_store_explicit(&mine->busy, 1, memory_order_relaxed);
		struct node *prev = atomic_exchange_explicit(&tail, mine, memory_order_acq_rel);
		while (atomic_load_explicit(&prev->busy, memory_order_acquire))
			;
		counter++;
		atomic_store_explicit(&mine->busy, 0, memory_order_release);
		mine = prev;
	}
	return NULL;
}
int main(void)
{
	pthread_t t[N];
	for (int i = 0; i < N; i++) pthread_create(&t[i], NULL, work, &nodes[i]);
	for (int i = 0; i < N; i++) pthread_join(t[i], NULL);
	assert(counter == N * ROUNDS);
}
