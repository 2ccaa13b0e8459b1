// Randomised exponential back-off with a linear congruential generator.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
static atomic_int word;
static int n;
static void lock(uint32_t seed) {
	uint32_t limit = 8;
	for (;;) {
		if (atomic_load_explicit(&word, memory_order_relaxed) == 0 && atomic_exchange_explicit(&word, 1, memory_order_acquire) == 0)
			return;
		seed = seed * 1103515245u + 12345u;
		uint32_t delay = seed % limit;
		for (volatile uint32_t i = 0; i < delay; i++) { }
		limit = limit < 4096 ? limit * 2 : limit;
	}
}
static void *w(void *arg) { lock((uint32_t)(uintptr_t)arg); n++; atomic_store_explicit(&word, 0, memory_order_release); return NULL; }
int main(void) {
	pthread_t t[2];
	for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, w, (void *)(uintptr_t)(i + 1));
	for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
	assert(n == 2);
}
