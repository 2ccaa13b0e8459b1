// dat3m.h: the names that programs written for Dartagnan use.
#ifndef RAVEL_DAT3M_H
#define RAVEL_DAT3M_H

#include "svcomp.h"

#ifdef __cplusplus
extern "C" {
#endif

// How often a loop may run: nothing that ravel has to know.
void __VERIFIER_loop_bound(int bound);

// The number of the thread.
unsigned __VERIFIER_tid(void);

// Spin loops, as in genmc.h.
void __VERIFIER_loop_begin(void);
void __VERIFIER_spin_start(void);
void __VERIFIER_spin_end(int done);

// Waits while condition is true. ravel sees that by itself.
#define await_while(condition) while (condition)

#ifdef __cplusplus
}
#endif
#endif
