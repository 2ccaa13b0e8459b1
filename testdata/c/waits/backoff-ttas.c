// A test-and-test-and-set lock with exponential back-off and a cap, as in textbooks (Anderson; Herlihy and Shavit).
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#define MIN_DELAY 4
#define MAX_DELAY 1024
static atomic_int lock;
static int shared;
static inline void cpu_relax(void) { __asm__ volatile("pause" ::: "memory"); }
static void acquire(void) {
	unsigned delay = MIN_DELAY;
	for (;;) {
		while (atomic_load_explicit(&lock, memory_order_relaxed))
			cpu_relax();
		if (!atomic_exchange_explicit(&lock, 1, memory_order_acquire))
			return;
		for (unsigned i = 0; i < delay; i++)
			cpu_relax();
		if (delay < MAX_DELAY)
			delay *= 2;
	}
}
static void release(void) { atomic_store_explicit(&lock, 0, memory_order_release); }
static void *worker(void *arg) {
	acquire();
	shared++;
	release();
	return NULL;
}
int main(void) {
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	assert(shared == 3);
	return 0;
}
