// Spin a while, then give up the processor: the counter starts again after each yield.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
static atomic_uint next_ticket, now_serving;
static int n;
static void lock(void) {
	unsigned me = atomic_fetch_add_explicit(&next_ticket, 1, memory_order_relaxed);
	int spins = 0;
	while (atomic_load_explicit(&now_serving, memory_order_acquire) != me) {
		if (++spins == 1000) {
			sched_yield();
			spins = 0;
		}
	}
}
static void unlock(void) {
	unsigned s = atomic_load_explicit(&now_serving, memory_order_relaxed);
	atomic_store_explicit(&now_serving, s + 1, memory_order_release);
}
static void *w(void *arg) { lock(); n++; unlock(); return NULL; }
int main(void) {
	pthread_t t[3];
	for (int i = 0; i < 3; i++) pthread_create(&t[i], NULL, w, NULL);
	for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
	assert(n == 3);
}
