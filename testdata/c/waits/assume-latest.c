// A thread assumes that it sees the last of several writes. It looks when no other thread can move, and then at that write only.
#include <pthread.h>
#include <stdatomic.h>

void __VERIFIER_assume(int);

#ifndef N
#define N 9
#endif

atomic_int x, y;

static void *write_all(void *arg) {
	for (int i = 1; i <= N; i++) {
		atomic_store_explicit(&x, i, memory_order_relaxed);
		atomic_store_explicit(&y, i, memory_order_relaxed);
	}
	return NULL;
}

static void *look(void *arg) {
#if defined(CAS)
	int e = N;
	__VERIFIER_assume(atomic_compare_exchange_strong(&x, &e, 0));
#elif defined(BOTH)
	__VERIFIER_assume(atomic_load_explicit(&x, memory_order_relaxed) == N && atomic_load_explicit(&y, memory_order_relaxed) == N);
#elif defined(SUM)
	int a = atomic_load_explicit(&x, memory_order_relaxed);
	int b = atomic_load_explicit(&y, memory_order_relaxed);
	__VERIFIER_assume(a + b == 2 * N);
#else
	__VERIFIER_assume(atomic_load_explicit(&x, memory_order_relaxed) == N);
#endif
	return NULL;
}

int main(void) {
	pthread_t w, r;
	pthread_create(&r, NULL, look, NULL);
	pthread_create(&w, NULL, write_all, NULL);
	pthread_join(r, NULL);
	pthread_join(w, NULL);
	return 0;
}
