// A ticket lock with proportional back-off (Mellor-Crummey and Scott).
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_uint next_ticket, now_serving;
static int n;
static void pause_for(unsigned k) {
	while (k--)
		__asm__ volatile("" ::: "memory");
}
static void lock(void) {
	unsigned me = atomic_fetch_add(&next_ticket, 1);
	for (;;) {
		unsigned cur = atomic_load_explicit(&now_serving, memory_order_acquire);
		if (cur == me)
			return;
		pause_for((me - cur) * 50);
	}
}
static void unlock(void) { atomic_store_explicit(&now_serving, atomic_load_explicit(&now_serving, memory_order_relaxed) + 1, memory_order_release); }
static void *w(void *arg) { lock(); n++; unlock(); return NULL; }
int main(void) {
	pthread_t t[3];
	for (int i = 0; i < 3; i++) pthread_create(&t[i], NULL, w, NULL);
	for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
	assert(n == 3);
}
