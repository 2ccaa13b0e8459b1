// llmc.h: what programs for LLMC may call. They need not include it: they declare the names themselves.
//
// A program without main is in the form of procedures, for ravel check --engine states: llmc_init
// runs first and alone, then every function whose name begins with llmc_proc as a thread of its own, then
// llmc_fini alone. init and fini may be missing.
#ifndef RAVEL_LLMC_H
#define RAVEL_LLMC_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Fences. Under the model lmo, acquire waits for the thread's loads and release for its stores; under
// all others they are C's.
void llmc_barrier_acquire(void);
void llmc_barrier_release(void);
void llmc_barrier_seq_cst(void);
void llmc_barrier_ll(void); // acquire
void llmc_barrier_ss(void); // release

// If *target is *expected, makes it *desired and returns 1; else makes *expected what it is and
// returns 0. size is 1, 2, 4, 8 or 16; the orders are __ATOMIC_RELAXED and so on. It never fails spuriously.
int __atomic_compare_exchange_llmc(size_t size, void *target, void *expected, void *desired, int success, int failure);

// ravel_assume of ravel.h.
void llmc_assume(int condition);

// Code between the two runs without a move of another thread, unless it waits for one. In a program that uses them, that holds for all atomic sections.
// --engine graphs takes them for ravel_atomic_begin and ravel_atomic_end of ravel.h.
void llmc_atomic_begin(void);
void llmc_atomic_end(void);

#ifdef __cplusplus
}
#endif
#endif
