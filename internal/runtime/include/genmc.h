// genmc.h: the names that programs written for GenMC use, so that they run unchanged.
//
// Marks that only help GenMC explore less have their plain meaning here, which is none. ravel
// recognises spin loops and symmetric threads by itself.
#ifndef RAVEL_GENMC_H
#define RAVEL_GENMC_H
#define __GENMC_H__

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Leaves out the executions in which condition is 0.
void __VERIFIER_assume(int condition);

// A number: see svcomp.h.
int __VERIFIER_nondet_int(void);

// Threads. twin is a thread that does the same.
typedef long __VERIFIER_thread_t;
__VERIFIER_thread_t __VERIFIER_spawn(void *(*function)(void *), void *argument);
__VERIFIER_thread_t __VERIFIER_spawn_symmetric(void *(*function)(void *), void *argument, __VERIFIER_thread_t twin);
void *__VERIFIER_join(__VERIFIER_thread_t thread);
void __VERIFIER_join_symmetric(__VERIFIER_thread_t thread);

// Spin loops: loop_begin before the loop, spin_start at the start of each iteration, spin_end
// where one ends; an iteration that ends with done == 0 need not be explored further.
void __VERIFIER_loop_begin(void);
void __VERIFIER_spin_start(void);
void __VERIFIER_spin_end(int done);

// Marks around one statement or expression.
#define __VERIFIER_local_write(s) do { s; } while (0)
#define __VERIFIER_final_write(s) do { s; } while (0)
#define __VERIFIER_helped_CAS(c) do { c; } while (0)
#define __VERIFIER_helping_CAS(c) do { c; } while (0)
#define __VERIFIER_final_CAS(c) (c)
#define __VERIFIER_speculative_read(c) (c)
#define __VERIFIER_confirming_read(c) (c)
#define __VERIFIER_confirming_CAS(c) (c)

// A block that may be left out without missing an error: it is.
#define __VERIFIER_optional(s) do { if (0) { s; } } while (0)

// Hazard pointers. protect reads *address, an atomic pointer, with acquire order and returns the
// value. It is an error to access a retired object, unless the thread protects it since before it was retired, and
// to retire one twice.
typedef struct { void *__private; } __VERIFIER_hp_t;
__VERIFIER_hp_t *__VERIFIER_hp_alloc(void);
void *__VERIFIER_hp_protect(__VERIFIER_hp_t *hp, void *address);
void __VERIFIER_hp_clear(__VERIFIER_hp_t *hp);
void __VERIFIER_hp_free(__VERIFIER_hp_t *hp);
void __VERIFIER_hp_retire(void *object);
#define __VERIFIER_hp_protect(hp, address) __VERIFIER_hp_protect(hp, (void *)(address))
#define __VERIFIER_hp_retire(object) __VERIFIER_hp_retire((void *)(object))

// Locks of an abstract specification.
typedef struct { int __private; } __VERIFIER_plock_t;
void __VERIFIER_plock_lock(__VERIFIER_plock_t *lock);
void __VERIFIER_plock_unlock(__VERIFIER_plock_t *lock);

// Calls of a concurrent object's methods, for GenMC's check of linearizability.
void __VERIFIER_method_begin(const char *name, int argument);
void __VERIFIER_method_end(const char *name, int result);

// Persistent memory: as if nothing ever crashed; the recovery routine is not run.
#define __VERIFIER_persistent_storage(declaration) declaration
void *__VERIFIER_palloc(size_t size);
void __VERIFIER_pbarrier(void);
void __VERIFIER_recovery_routine(void);

#ifdef __cplusplus
}
#endif
#endif
