// An atomic section of LLMC, in which no other thread moves, beside accesses outside of sections. So its increment is like one of the hardware, its two stores are
// seen by nobody, and a thread that waits in it does not keep the others from going on. -DLOCK has the sections of ravel.h, which only exclude each other: there the
// first two are wrong.
#include <assert.h>
#include <stdatomic.h>
#include <llmc.h>
#include <ravel.h>

#ifdef LOCK
#define begin ravel_atomic_begin
#define end ravel_atomic_end
#else
#define begin llmc_atomic_begin
#define end llmc_atomic_end
#endif

atomic_int x;
#define get(v) atomic_load_explicit(&v, memory_order_relaxed)
#define set(v, n) atomic_store_explicit(&v, n, memory_order_relaxed)

#if defined INCREMENT
void llmc_proc0(void) { begin(); int r = get(x); set(x, r + 1); end(); }
void llmc_proc1(void) { atomic_fetch_add(&x, 1); }
void llmc_proc2(void) { atomic_fetch_add(&x, 1); begin(); int r = get(x); set(x, r + 1); end(); }
void llmc_fini(void) { assert(x == 4); }
#elif defined HIDDEN
void llmc_proc0(void) { begin(); set(x, 1); set(x, 0); end(); }
void llmc_proc1(void) { assert(get(x) == 0); }
void llmc_fini(void) {}
#elif defined WAITS
void llmc_proc0(void) { begin(); while (!get(x)) ; set(x, 2); end(); }
void llmc_proc1(void) { set(x, 1); }
void llmc_fini(void) { assert(x == 2); }
#endif
