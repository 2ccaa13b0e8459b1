// A spin lock with a structure for its back-off: random pauses at first, then yields, then sleeps.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>
struct backoff { int step; int max; unsigned rnd; };
#define BACKOFF_INIT { .step = 0, .max = 10, .rnd = 1234567 }
static void backoff_wait(struct backoff *b) {
	b->rnd ^= b->rnd << 13; b->rnd ^= b->rnd >> 17; b->rnd ^= b->rnd << 5;
	if (b->step < 6) {
		for (unsigned i = 0; i < (1u << b->step) + (b->rnd & 7); ++i)
			__asm__ volatile("rep; nop" ::: "memory");
	} else if (b->step < b->max) {
		sched_yield();
	} else {
		usleep(1u << b->step);
	}
	if (b->step < b->max) b->step++;
}
static atomic_int l;
static int n;
static void *w(void *a) {
	struct backoff b = BACKOFF_INIT;
	int z = 0;
	while (!atomic_compare_exchange_strong_explicit(&l, &z, 1, memory_order_acquire, memory_order_relaxed)) { z = 0; backoff_wait(&b); }
	n++;
	atomic_store_explicit(&l, 0, memory_order_release);
	return 0;
}
int main() { pthread_t t[3]; for (int i=0;i<3;i++) pthread_create(t+i,0,w,0); for (int i=0;i<3;i++) pthread_join(t[i],0); assert(n==3); }
