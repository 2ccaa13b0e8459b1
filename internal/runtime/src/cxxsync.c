// std::latch, std::barrier and std::counting_semaphore (include/latch, barrier, semaphore).
#include "rt.h"

void __ravel_latch_count_down(long *count, long n)
{
	if (n < 0)
		misuse("std::latch::count_down by less than 0");
	if (__atomic_fetch_sub(count, n, acqrel) < n)
		misuse("std::latch::count_down below 0");
}

_Bool __ravel_latch_try_wait(const long *count) { return load(count, acq) == 0; }

void __ravel_latch_wait(const long *count)
{
	while (load(count, acq))
		;
}

typedef struct {
	long expected; // in a round
	long pending;  // in this round
	u64 round;     // how many are over
} barrier_state;

// An arrival returns whether it is the last one of the round. That one runs the completion function and begins the next round.
_Bool __ravel_barrier_arrive(barrier_state *b, long n, u64 *round)
{
	*round = load(&b->round, rlx);
	long before = __atomic_fetch_sub(&b->pending, n, acqrel);
	if (n <= 0 || before < n)
		misuse("std::barrier::arrive by more than the threads that are missing");
	return before == n;
}

void __ravel_barrier_next(barrier_state *b, u64 round)
{
	store(&b->pending, load(&b->expected, rlx), rlx);
	store(&b->round, round + 1, rel);
}

void __ravel_barrier_drop(barrier_state *b) { __atomic_fetch_sub(&b->expected, 1, rlx); }

void __ravel_barrier_wait(const barrier_state *b, u64 round)
{
	while (load(&b->round, acq) == round)
		;
}

// As sem_wait: the first guess is that the count is 1.
void __ravel_semaphore_acquire(long *count)
{
	long guess = 1;
	for (;;) {
		long w = guess;
		if (cas(count, &w, w - 1, acq, rlx))
			return;
		if (w)
			guess = w;
	}
}

_Bool __ravel_semaphore_try_acquire(long *count)
{
	long w = 1;
	while (!cas(count, &w, w - 1, acq, rlx))
		if (!w)
			return 0;
	return 1;
}

void __ravel_semaphore_release(long *count, long n, long max)
{
	if (n < 0 || __atomic_fetch_add(count, n, rel) > max - n)
		misuse("std::counting_semaphore::release beyond the semaphore's maximum");
}
