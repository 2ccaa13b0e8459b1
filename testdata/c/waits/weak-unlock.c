// A lock with an owner. Who takes it makes sure that he does not hold it already. Who gives it back clears the owner, and tries to clear the lock until a weak compare-and-swap succeeds: each attempt clears the owner again.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif
#ifndef CLEAR
#define CLEAR memory_order_relaxed
#endif

atomic_int held, owner;
int counter;

static void *section(void *arg) {
	int self = *(int *)arg, free = 0;
	assert(atomic_load_explicit(&owner, memory_order_relaxed) != self);
	while (!atomic_compare_exchange_strong_explicit(&held, &free, 1, memory_order_acquire, memory_order_relaxed))
		free = 0;
	assert(atomic_load_explicit(&owner, memory_order_relaxed) == 0);
	atomic_store_explicit(&owner, self, memory_order_relaxed);
	counter++;
	int word = atomic_load_explicit(&held, memory_order_relaxed), done = 0;
	while (!done) {
		atomic_store_explicit(&owner, 0, CLEAR);
		done = atomic_compare_exchange_weak_explicit(&held, &word, word & ~1, memory_order_release, memory_order_relaxed);
	}
	return NULL;
}

#ifdef OTHER
static void *other(void *arg) {
	atomic_store_explicit(&owner, N + 1, memory_order_relaxed);
	return NULL;
}
#endif

int main(void) {
	pthread_t t[N];
	int ids[N];
	for (int i = 0; i < N; i++) {
		ids[i] = i + 1;
		pthread_create(&t[i], NULL, section, &ids[i]);
	}
#ifdef OTHER
	pthread_t o;
	pthread_create(&o, NULL, other, NULL);
	pthread_join(o, NULL);
#endif
	for (int i = 0; i < N; i++)
		pthread_join(t[i], NULL);
	assert(counter == N);
	return 0;
}
