// svcomp.h: the names of SV-COMP. Its programs declare them themselves; this file is for
// programs that would rather include something.
#ifndef RAVEL_SVCOMP_H
#define RAVEL_SVCOMP_H

#ifdef __cplusplus
extern "C" {
#endif

// Leaves out the executions in which condition is 0.
void __VERIFIER_assume(int condition);

// One lock for all such sections; see ravel_atomic_begin in ravel.h. A function whose name begins with __VERIFIER_atomic_ is one, too.
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

// An error when it is called, even if the program defines it. In a program that knows one of the first two, abort only ends
// the execution, as an assumption does.
void reach_error(void) __attribute__((__noreturn__));
void __VERIFIER_error(void) __attribute__((__noreturn__));
void __VERIFIER_assert(int condition);

// Values of the environment. A pointer is null or not; no object is where it points to. All that the program can tell apart are explored: those that it compares with constants, that an
// assumption right after leaves, if they are not more than 256, and all of a byte. If that is not all, some are tried, and the
// verdict is bounded; ravel_range of ravel.h has exactly the numbers that you say.
#ifdef __cplusplus
bool __VERIFIER_nondet_bool(void);
#else
_Bool __VERIFIER_nondet_bool(void);
#endif
char __VERIFIER_nondet_char(void);
unsigned char __VERIFIER_nondet_uchar(void);
int __VERIFIER_nondet_int(void);
unsigned __VERIFIER_nondet_uint(void);
short __VERIFIER_nondet_short(void);
unsigned short __VERIFIER_nondet_ushort(void);
long __VERIFIER_nondet_long(void);
unsigned long __VERIFIER_nondet_ulong(void);
float __VERIFIER_nondet_float(void);
double __VERIFIER_nondet_double(void);
void *__VERIFIER_nondet_pointer(void);

#ifdef __cplusplus
}
#endif
#endif
