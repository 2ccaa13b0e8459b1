// svcomp.h: the names of SV-COMP. Its programs declare them themselves; this file is for
// programs that would rather include something.
#ifndef RAVEL_SVCOMP_H
#define RAVEL_SVCOMP_H

#ifdef __cplusplus
extern "C" {
#endif

// Leaves out the executions in which condition is 0.
void __VERIFIER_assume(int condition);

// One lock for all such sections; see ravel_atomic_begin in ravel.h.
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

// An error when it is called.
void reach_error(void) __attribute__((__noreturn__));
void __VERIFIER_error(void) __attribute__((__noreturn__));
void __VERIFIER_assert(int condition);

// All values are explored.
#ifdef __cplusplus
bool __VERIFIER_nondet_bool(void);
#else
_Bool __VERIFIER_nondet_bool(void);
#endif
char __VERIFIER_nondet_char(void);
unsigned char __VERIFIER_nondet_uchar(void);

// Too many values to explore: an error when it is called. Use ravel_range of ravel.h.
int __VERIFIER_nondet_int(void);
unsigned __VERIFIER_nondet_uint(void);
long __VERIFIER_nondet_long(void);
unsigned long __VERIFIER_nondet_ulong(void);

#ifdef __cplusplus
}
#endif
#endif
