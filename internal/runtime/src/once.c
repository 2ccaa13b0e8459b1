// pthread_once, and the guards of C++'s static local variables.
#include "rt.h"

enum { NEVER, RUNNING, DONE };

// fn may end by an exception.
void *__ravel_try(void (*fn)(void));
_Noreturn void __ravel_unwind(void *e);

int pthread_once(u32 *once, void (*fn)(void))
{
	u32 w;
	do {
		w = NEVER;
		if (cas(once, &w, RUNNING, acq, acq)) {
			void *e = __ravel_try(fn);
			if (e) {
				store(once, NEVER, rel);
				__ravel_unwind(e);
			}
			store(once, DONE, rel);
			return 0;
		}
	} while (w == RUNNING);
	return 0;
}

// The compiler reads the guard's first byte itself; the second one has the state.
int __cxa_guard_acquire(u8 *guard)
{
	u8 w;
	do {
		w = NEVER;
		if (cas(&guard[1], &w, RUNNING, acq, acq))
			return 1;
	} while (w == RUNNING);
	return 0;
}

void __cxa_guard_release(u8 *guard)
{
	store(&guard[1], DONE, rel);
	store(&guard[0], 1, rel);
}

void __cxa_guard_abort(u8 *guard) { store(&guard[1], NEVER, rel); }
