// Barriers: an arrival is one fetch-and-add; the last one of each round opens the next.
#include "rt.h"

typedef struct {
	u32 count;   // threads in a round
	u32 arrived; // in all rounds together
	u32 round;   // how many are over
} barrier;

int pthread_barrier_init(barrier *b, const void *attr, u32 count)
{
	if (count == 0)
		return EINVAL;
	if (is_static(b)) {
		u32 n = load(&b->count, rlx);
		if (n != 0 && n != DESTROYED)
			misuse_of(&b->count, "initialisation of a barrier that is in use", "initialised here before");
	}
	store(&b->count, count, rlx);
	store(&b->arrived, 0, rlx);
	store(&b->round, 0, rlx);
	return 0;
}

int pthread_barrier_destroy(barrier *b)
{
	u32 n = load(&b->count, rlx);
	if (n == 0)
		misuse("destroy of a barrier that is not initialised");
	if (n == DESTROYED)
		misuse_of(&b->count, "destroy of a barrier that is destroyed already", "destroyed here before");
	store(&b->count, DESTROYED, rlx);
	return 0;
}

int pthread_barrier_wait(barrier *b)
{
	u32 n = load(&b->count, rlx);
	if (n == 0)
		misuse("wait at a barrier that is not initialised");
	if (n == DESTROYED)
		misuse_of(&b->count, "wait at a destroyed barrier", "destroyed here");
	u32 before = __ravel_arrive(&b->arrived, n);
	u32 round = before / n + 1;
	if (before + 1 == round * n) {
		__atomic_fetch_add(&b->round, 1, rel);
		return -1; // PTHREAD_BARRIER_SERIAL_THREAD
	}
	// If more than n threads use the barrier, later rounds may be over by now.
	while ((int)(load(&b->round, acq) - round) < 0)
		;
	return 0;
}

int pthread_barrierattr_init(void *a) { return 0; }
int pthread_barrierattr_destroy(void *a) { return 0; }
int pthread_barrierattr_setpshared(void *a, int v) { return 0; }
