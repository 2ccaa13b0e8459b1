// Semaphores. A wait and a post are one RMW each.
#include "rt.h"

typedef struct {
	u32 count;
} semaphore;

int sem_init(semaphore *s, int shared, u32 count)
{
	store(&s->count, count, rlx);
	return 0;
}

int sem_destroy(semaphore *s)
{
	if (load(&s->count, rlx) == DESTROYED)
		misuse_of(&s->count, "destroy of a semaphore that is destroyed already", "destroyed here before");
	store(&s->count, DESTROYED, rlx);
	return 0;
}

// take takes one from the count, if it is not 0, and returns what it was.
INLINE u32 take(semaphore *s)
{
	u32 w = __ravel_add_unless(&s->count, -1u, 0);
	if (w == DESTROYED)
		misuse_of(&s->count, "wait on a destroyed semaphore", "destroyed here");
	return w;
}

int sem_wait(semaphore *s)
{
	if (__ravel_if_cancellable())
		while (!load(&s->count, rlx))
			cancellation_point();
	while (!take(s))
		;
	return 0;
}

INLINE int trywait(semaphore *s, int error)
{
	if (take(s))
		return 0;
	errno = error;
	return -1;
}

int sem_trywait(semaphore *s) { return trywait(s, EAGAIN); }
int sem_timedwait(semaphore *s, const void *until) { return trywait(s, ETIMEDOUT); }
int sem_clockwait(semaphore *s, int clock, const void *until) { return trywait(s, ETIMEDOUT); }

int sem_post(semaphore *s)
{
	u32 w = __atomic_fetch_add(&s->count, 1, rel);
	if (w == DESTROYED)
		misuse_of(&s->count, "sem_post of a destroyed semaphore", "destroyed here");
	if (w >= 0x7fffffff)
		misuse("sem_post of a semaphore whose count is at its maximum");
	return 0;
}

int sem_getvalue(semaphore *s, int *value)
{
	*value = load(&s->count, rlx);
	return 0;
}

int strcmp(const char *a, const char *b);

// Semaphores with names, which stay until the program ends.
enum { NAMED = 8, NAME = 32, O_CREAT = 0100 };

static struct {
	char name[NAME];
	semaphore s;
} named[NAMED];
static u32 naming;

void *sem_open(const char *name, int flags, ...)
{
	__builtin_va_list args;
	__builtin_va_start(args, flags);
	u32 mode = 0, count = 0;
	if (flags & O_CREAT) {
		mode = __builtin_va_arg(args, u32);
		count = __builtin_va_arg(args, u32);
	}
	__builtin_va_end(args);
	if (strlen(name) >= NAME || mode > 07777)
		misuse("sem_open with a name of more than 31 characters, or with an odd mode");
	pthread_spin_lock(&naming);
	void *found = NULL;
	for (int i = 0; i < NAMED && !found; i++) {
		if (!named[i].name[0] && flags & O_CREAT) {
			for (int k = 0; k == 0 || name[k - 1]; k++)
				named[i].name[k] = name[k];
			sem_init(&named[i].s, 0, count);
			found = &named[i].s;
		} else if (strcmp(named[i].name, name) == 0) {
			found = &named[i].s;
		}
	}
	pthread_spin_unlock(&naming);
	return found;
}

int sem_close(void *s) { return 0; }

int sem_unlink(const char *name)
{
	pthread_spin_lock(&naming);
	for (int i = 0; i < NAMED; i++)
		if (named[i].name[0] && strcmp(named[i].name, name) == 0)
			named[i].name[0] = '\n'; // nobody finds it, and its place is not used again
	pthread_spin_unlock(&naming);
	return 0;
}
