// Cancellation. A request takes effect when its thread comes to a cancellation point, or waits there: a condition variable, a semaphore, a sleep,
// pthread_testcancel. A thread that waits for the end of another one goes on waiting.
//
// This file is for programs that cancel threads. In the others __ravel_if_cancelled is 0, and sleeping does nothing (frontend/llvm/optional.go).
#include "rt.h"

enum { CANCELLABLE = 1024, ENABLE = 0, DISABLE = 1, DEFERRED = 0 };

static u32 requested[CANCELLABLE];
static _Thread_local int cancel_disabled;

u32 __ravel_cancellable(void) { return 1; }
u32 __ravel_cancelled(void) { return !cancel_disabled && load(&requested[__ravel_self()], acq); }

int __ravel_sleep(u32 seconds)
{
	cancellation_point();
	return 0;
}

int __ravel_usleep(u32 microseconds) { return __ravel_sleep(0); }
int __ravel_nanosleep(const void *duration, void *left) { return __ravel_sleep(0); }
int __ravel_clock_nanosleep(int clock, int flags, const void *until, void *left) { return __ravel_sleep(0); }

int pthread_cancel(pthread_t t)
{
	if (t == 0)
		misuse("pthread_cancel of something that is no thread");
	if (t > CANCELLABLE)
		__ravel_error("unsupported", "a program that cancels threads has too many of them");
	store(&requested[t - 1], 1, rel);
	return 0;
}

int pthread_setcancelstate(int state, int *old)
{
	if (state != ENABLE && state != DISABLE)
		return EINVAL;
	if (old)
		*old = cancel_disabled;
	cancel_disabled = state;
	return 0;
}

int pthread_setcanceltype(int type, int *old)
{
	if (type != DEFERRED)
		__ravel_error("unsupported", "asynchronous cancellation is not modelled: cancel threads at pthread_testcancel");
	if (old)
		*old = DEFERRED;
	return 0;
}
