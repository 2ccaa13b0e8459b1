// The names that programs for LLMC write (F.I. van der Berg's model checker).
#include "rt.h"

void llmc_barrier_acquire(void) { __atomic_thread_fence(acq); }
void llmc_barrier_release(void) { __atomic_thread_fence(rel); }
void llmc_barrier_seq_cst(void) { __atomic_thread_fence(sc); }
void llmc_barrier_ll(void) { __atomic_thread_fence(acq); } // as they were called at first
void llmc_barrier_ss(void) { __atomic_thread_fence(rel); }

void llmc_assume(int c) { __ravel_assume(c != 0); }
void llmc_atomic_begin(void) { ravel_atomic_begin(); }
void llmc_atomic_end(void) { ravel_atomic_end(); }

int __atomic_compare_exchange_llmc(size_t n, void *p, void *old, void *v, int order, int fail)
{
	return atomic_cas_any(n, p, old, v, order, fail);
}
