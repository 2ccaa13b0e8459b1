// Barriers: an arrival is one fetch-and-add; the last one of each round opens the next.
#include "rt.h"

typedef struct {
	u32 count;   // threads in a round
	u32 arrived; // in all rounds together
	u32 *round;  // counts those that are over
} barrier;

// Once the last thread has arrived, any of them may destroy the barrier and free it, while others are still on their way out. So they wait for a word
// that is not part of it. Barriers that are initialised by the same thread have different words.
enum { BARRIERS = 64, THREADS = 1024 };
static u32 rounds[THREADS][BARRIERS];
static __thread u32 initialised;

static u32 *new_round(void)
{
	u32 n = initialised++;
	if (n >= BARRIERS)
		__ravel_error("unsupported", "a thread initialises more than 64 barriers");
	return &rounds[__ravel_self()][n];
}

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
	b->round = new_round();
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
	u32 *over = b->round;
	u32 before = __ravel_arrive(&b->arrived, n);
	u32 round = before / n + 1;
	if (before + 1 == round * n) {
		__atomic_fetch_add(over, 1, rel);
		return -1; // PTHREAD_BARRIER_SERIAL_THREAD
	}
	// If more than n threads use the barrier, later rounds may be over by now.
	while ((int)(load(over, acq) - round) < 0)
		;
	return 0;
}

int pthread_barrierattr_init(int *a)
{
	*a = 0;
	return 0;
}
int pthread_barrierattr_destroy(int *a) { return 0; }
int pthread_barrierattr_setpshared(int *a, int v)
{
	*a = v;
	return 0;
}
int pthread_barrierattr_getpshared(const int *a, int *v)
{
	*v = *a;
	return 0;
}
