// Semaphores. A wait first guesses that the count is 1, so that a binary semaphore costs what a
// mutex costs: one RMW. Where the guess is wrong, the failed CAS says what the count is.
#include "rt.h"

typedef struct {
	u32 count;
} semaphore;

int sem_init(semaphore *s, int shared, u32 count)
{
	store(&s->count, count, rlx);
	return 0;
}

int sem_destroy(semaphore *s) { return 0; }

int sem_wait(semaphore *s)
{
	u32 guess = 1;
	for (;;) {
		u32 w = guess;
		if (cas(&s->count, &w, w - 1, acq, rlx))
			return 0;
		if (w)
			guess = w;
	}
}

INLINE int trywait(semaphore *s, int error)
{
	u32 w = 1;
	while (!cas(&s->count, &w, w - 1, acq, rlx))
		if (!w) {
			errno = error;
			return -1;
		}
	return 0;
}

int sem_trywait(semaphore *s) { return trywait(s, EAGAIN); }
int sem_timedwait(semaphore *s, const void *until) { return trywait(s, ETIMEDOUT); }
int sem_clockwait(semaphore *s, int clock, const void *until) { return trywait(s, ETIMEDOUT); }

int sem_post(semaphore *s)
{
	if (__atomic_fetch_add(&s->count, 1, rel) >= 0x7fffffff)
		misuse("sem_post of a semaphore whose count is at its maximum");
	return 0;
}

int sem_getvalue(semaphore *s, int *value)
{
	*value = load(&s->count, rlx);
	return 0;
}
