// A thread waits until another resets its flag, but that may be overwritten by the thread's own, later store: the two stores to held are not
// ordered. The marks are those of GenMC's users; -DPLAIN is without. -DREADS=2 waits for two variables, so that a round has two reads.
#include <pthread.h>
#include <stdatomic.h>

void __VERIFIER_loop_begin(void);
void __VERIFIER_spin_start(void);
void __VERIFIER_spin_end(int);

#ifdef PLAIN
#define wait_while(c) while (c) {}
#else
#define wait_while(c) \
	for (int again = (__VERIFIER_loop_begin(), 0); __VERIFIER_spin_start(), again = (c), __VERIFIER_spin_end(!again), again;) {}
#endif

static atomic_int held, other = 1;
static _Atomic(atomic_int *) mine;

static int waits(void)
{
#if READS == 2
	return atomic_load_explicit(&held, memory_order_acquire) && atomic_load_explicit(&other, memory_order_acquire);
#else
	return atomic_load_explicit(&held, memory_order_acquire);
#endif
}

static void *waiter(void *arg)
{
	atomic_store_explicit(&held, 1, memory_order_relaxed);
	atomic_store_explicit(&mine, &held, memory_order_relaxed);
	wait_while(waits()) // SPINS
	return arg;
}

int main(void)
{
	pthread_t t;
	atomic_int *flag;

	pthread_create(&t, NULL, waiter, NULL);
	wait_while(!(flag = atomic_load_explicit(&mine, memory_order_relaxed)))
	atomic_store_explicit(flag, 0, memory_order_release);
	pthread_join(t, NULL);
	return 0;
}
