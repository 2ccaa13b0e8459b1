// A CAS spinlock: `backoff <<= 1` up to a maximum, then sched_yield.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
typedef struct { atomic_bool locked; } spinlock_t;
static spinlock_t l;
static int counter;
static void spin_lock(spinlock_t *s) {
	int backoff = 1;
	bool expected = false;
	while (!atomic_compare_exchange_weak_explicit(&s->locked, &expected, true, memory_order_acquire, memory_order_relaxed)) {
		expected = false;
		for (int i = 0; i < backoff; ++i)
			__builtin_ia32_pause();
		backoff <<= 1;
		if (backoff > 64) {
			backoff = 64;
			sched_yield();
		}
	}
}
static void spin_unlock(spinlock_t *s) { atomic_store_explicit(&s->locked, false, memory_order_release); }
static void *run(void *arg) {
	spin_lock(&l);
	counter++;
	spin_unlock(&l);
	return 0;
}
int main(void) {
	pthread_t a, b, c;
	pthread_create(&a, 0, run, 0);
	pthread_create(&b, 0, run, 0);
	pthread_create(&c, 0, run, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	pthread_join(c, 0);
	assert(counter == 3);
}
