// ravel.h: what a program under test may say to ravel.
//
// Programs need none of this: pthread.h, threads.h, stdatomic.h, assert.h and their C++ kin
// are enough. ravel puts this file on the compiler's include path.
#ifndef RAVEL_H
#define RAVEL_H

#ifdef __cplusplus
extern "C" {
#endif

// Leaves out the executions in which condition is 0 here. They are no errors, and the count of
// complete executions does not include them.
//
//	int r = atomic_load(&flag);
//	ravel_assume(r == 1);	// only what happens after the flag was seen
void ravel_assume(int condition);
void __VERIFIER_assume(int condition); // the same, as other verifiers call it

// A value that the environment could give: every number below n is explored. n is not 0.
unsigned ravel_choose(unsigned n);

// Every number from low to high is explored, the two included.
int ravel_range(int low, int high);

// 0 and 1 are explored.
int ravel_bool(void);

// Code between the two runs as if one lock guarded all such sections of the program: no two of
// them overlap. Other code still runs in between, as it does with a lock. Sections don't nest.
void ravel_atomic_begin(void);
void ravel_atomic_end(void);

// Ends the run with an assertion error that shows message, a constant string.
void ravel_error(const char *message) __attribute__((__noreturn__));

// Threads in one line each; pthread_create and thrd_create do the same. A thread is a number
// other than 0. Joining waits for the end of thread and returns what its function returned; a
// thread is joined at most once.
typedef unsigned long ravel_thread;
ravel_thread ravel_spawn(void *(*function)(void *), void *argument);
void *ravel_join(ravel_thread thread);
ravel_thread ravel_self(void);

#ifdef __cplusplus
}
#endif
#endif
