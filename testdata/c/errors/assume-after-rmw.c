// A thread adds to x, and gives up if it was the first. Before it does, another thread may see what it has written.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

void __VERIFIER_assume(int);

atomic_int x;

static void *add(void *arg) {
	int r = atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
	__VERIFIER_assume(r != 0);
	return NULL;
}

static void *store(void *arg) {
	atomic_store_explicit(&x, 5, memory_order_relaxed);
	return NULL;
}

static void *look(void *arg) {
	assert(atomic_load_explicit(&x, memory_order_relaxed) != 1);
	return NULL;
}

int main(void) {
	pthread_t t[3];
	pthread_create(&t[0], NULL, add, NULL);
	pthread_create(&t[1], NULL, store, NULL);
	pthread_create(&t[2], NULL, look, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
