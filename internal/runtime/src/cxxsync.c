// std::latch, std::barrier and std::counting_semaphore (include/latch, barrier, semaphore).
#include "rt.h"

// Threads that arrive and wait in one step call __ravel_arrive, of which only one order is explored. That is right as long as the program has no other
// arrivals (internal/machine/barrier.go).
typedef struct {
	long expected;
	u32 arrived;
	u32 open;
} latch_state;

// A thread that has waited may destroy the latch, while those that have arrived before the last one return. So they look at it before they arrive.
INLINE void latch_arrived(latch_state *l, long expected, long after)
{
	if (after > expected)
		misuse("std::latch::count_down below 0");
	if (after == expected)
		store(&l->open, 1, rel);
}

void __ravel_latch_count_down(latch_state *l, long n)
{
	if (n < 0)
		misuse("std::latch::count_down by less than 0");
	if (n > 0) {
		long expected = l->expected;
		latch_arrived(l, expected, __atomic_fetch_add(&l->arrived, n, acqrel) + n);
	}
}

_Bool __ravel_latch_try_wait(const latch_state *l) { return load(&l->open, acq); }

void __ravel_latch_wait(const latch_state *l)
{
	while (!load(&l->open, acq))
		;
}

void __ravel_latch_arrive_and_wait(latch_state *l)
{
	long expected = l->expected;
	latch_arrived(l, expected, (long)__ravel_arrive(&l->arrived, expected) + 1);
	__ravel_latch_wait(l);
}

typedef struct {
	long expected; // in a round
	u32 round;     // how many are over
	u32 limit;     // the arrivals after which this one is over
	u32 arrived;   // in all rounds together
} barrier_state;

// An arrival returns whether it is the last one of the round. It must know the limit before it arrives: then the next round may begin.
INLINE _Bool barrier_arrived(u32 missing, long n)
{
	if (n <= 0 || missing < n)
		misuse("std::barrier::arrive by more than the threads that are missing");
	return missing == n;
}

// The last arrival of a round runs the completion function and begins the next round.
_Bool __ravel_barrier_arrive(barrier_state *b, long n, u32 *round)
{
	*round = load(&b->round, rlx);
	u32 limit = load(&b->limit, rlx);
	return barrier_arrived(limit - __atomic_fetch_add(&b->arrived, n, acqrel), n);
}

void __ravel_barrier_next(barrier_state *b, u32 round)
{
	store(&b->limit, load(&b->limit, rlx) + load(&b->expected, rlx), rlx);
	store(&b->round, round + 1, rel);
}

void __ravel_barrier_drop(barrier_state *b) { __atomic_fetch_sub(&b->expected, 1, rlx); }

void __ravel_barrier_wait(const barrier_state *b, u32 round)
{
	while (load(&b->round, acq) == round)
		;
}

// All threads look at the round at last, also the one that begins the next: of a barrier that ends too early, each order of arrival shows the error.
void __ravel_barrier_arrive_and_wait(barrier_state *b)
{
	u32 round = load(&b->round, rlx);
	u32 limit = load(&b->limit, rlx);
	if (barrier_arrived(limit - __ravel_arrive(&b->arrived, load(&b->expected, rlx)), 1))
		__ravel_barrier_next(b, round);
	__ravel_barrier_wait(b, round);
}

_Bool __ravel_semaphore_try_acquire(long *count) { return __ravel_add_unless_long(count, -1, 0) != 0; }

void __ravel_semaphore_acquire(long *count)
{
	while (!__ravel_semaphore_try_acquire(count))
		;
}

void __ravel_semaphore_release(long *count, long n, long max)
{
	if (n < 0 || __atomic_fetch_add(count, n, rel) > max - n)
		misuse("std::counting_semaphore::release beyond the semaphore's maximum");
}
