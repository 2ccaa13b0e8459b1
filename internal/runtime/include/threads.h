// threads.h: C11's threads, and what programs written for CDSChecker have: calls of thrd_join without a place for the result, threads that
// return nothing.
#ifndef RAVEL_THREADS_H
#define RAVEL_THREADS_H

#include_next <threads.h>

#define __ravel_thrd_join(thread, result, ...) (thrd_join)(thread, result)
#define thrd_join(...) __ravel_thrd_join(__VA_ARGS__, 0, 0)

#ifdef __cplusplus
// The main of such a program, and its threads, which return nothing.
extern "C" int user_main(int, char **);
static inline int thrd_create(thrd_t *thread, void (*function)(void *), void *argument) { return thrd_create(thread, (thrd_start_t)function, argument); }
#endif

#endif
