// threads.h: C11's threads, and the calls of thrd_join without a place for the result that programs written for CDSChecker have.
#ifndef RAVEL_THREADS_H
#define RAVEL_THREADS_H

#include_next <threads.h>

#define __ravel_thrd_join(thread, result, ...) (thrd_join)(thread, result)
#define thrd_join(...) __ravel_thrd_join(__VA_ARGS__, 0, 0)

// The main of such a program.
#ifdef __cplusplus
extern "C" int user_main(int, char **);
#endif

#endif
