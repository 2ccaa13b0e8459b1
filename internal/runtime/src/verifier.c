// ravel.h, and the names that the benchmarks of SV-COMP and the users of GenMC write.
#include "rt.h"

// One lock for all atomic sections.
static u32 section;

// The section of a function whose name begins with __VERIFIER_atomic_ (internal/frontend/llvm/svcomp.go). Such functions
// may call each other: begin returns whether this one is the outermost.
u32 __ravel_section_begin(void)
{
	u32 self = me(), w;
	do {
		w = 0;
		if (cas(&section, &w, self, acq, rlx))
			return 1;
	} while (w != self);
	return 0;
}

void ravel_atomic_begin(void)
{
	if (!__ravel_section_begin())
		misuse_of(&section, "an atomic section inside an atomic section", "the outer one begins here");
}

void ravel_atomic_end(void)
{
	if (load(&section, rlx) != me())
		misuse("end of an atomic section outside of one");
	store(&section, 0, rel);
}

void ravel_assume(int c) { __ravel_assume(c != 0); }

u32 ravel_choose(u32 n)
{
	if (n == 0)
		misuse("ravel_choose(0) has nothing to choose from");
	return n == 1 ? 0 : __ravel_choose(n);
}

int ravel_range(int low, int high)
{
	if (low > high)
		misuse("ravel_range of an empty range");
	return low + (int)ravel_choose((u32)high - (u32)low + 1);
}

int ravel_bool(void) { return __ravel_choose(2); }
_Noreturn void ravel_error(const char *message) { __ravel_error("assertion", message); }
u64 ravel_spawn(void *(*fn)(void *), void *arg) { return __ravel_create(fn, arg) + 1; }

void *ravel_join(u64 t)
{
	return __ravel_join(__ravel_joinable(t));
}

u64 ravel_self(void) { return __ravel_self() + 1; }

void __ravel_section_end(u32 outermost)
{
	if (outermost)
		ravel_atomic_end();
}

// SV-COMP. The machine has __VERIFIER_nondet_int and its kin.
void __VERIFIER_assume(int c) { __ravel_assume(c != 0); }
void assume_abort_if_not(int c) { __ravel_assume(c != 0); }
void assume_cycle_if_not(int c) { __ravel_assume(c != 0); }
void __ravel_abort_ends(void) { __ravel_assume(0); }
void __VERIFIER_atomic_begin(void) { ravel_atomic_begin(); }
void __VERIFIER_atomic_end(void) { ravel_atomic_end(); }
_Noreturn void __VERIFIER_error(void) { __ravel_error("assertion", "__VERIFIER_error() was called"); }
void __VERIFIER_loop_bound(int n) {}
u32 __VERIFIER_tid(void) { return __ravel_self(); }
_Noreturn void reach_error(void) { __ravel_error("assertion", "reach_error() was called"); }

void __VERIFIER_assert(int c)
{
	if (!c)
		__ravel_error("assertion", "__VERIFIER_assert failed");
}

// GenMC: threads. Which threads are symmetric, ravel finds out by itself.
u64 __VERIFIER_spawn(void *(*fn)(void *), void *arg) { return ravel_spawn(fn, arg); }
u64 __VERIFIER_spawn_symmetric(void *(*fn)(void *), void *arg, u64 twin) { return ravel_spawn(fn, arg); }
void *__VERIFIER_join(u64 t) { return ravel_join(t); }
void __VERIFIER_join_symmetric(u64 t) { ravel_join(t); }
u64 __VERIFIER_thread_create(const void *attr, void *(*fn)(void *), void *arg) { return ravel_spawn(fn, arg); }
u64 __VERIFIER_thread_create_symmetric(const void *attr, void *(*fn)(void *), void *arg, u64 twin) { return ravel_spawn(fn, arg); }
void *__VERIFIER_thread_join(u64 t) { return ravel_join(t); }
u64 __VERIFIER_thread_self(void) { return ravel_self(); }
_Noreturn void __VERIFIER_thread_exit(void *result) { __ravel_exit(result); }
void *__VERIFIER_malloc(size_t n) { return malloc(n); }
void *__VERIFIER_malloc_aligned(size_t align, size_t n) { return malloc(n); }
void __VERIFIER_free(void *p) { free(p); }

// GenMC: marks of spin loops. A thread stays at the end of an iteration that failed and did nothing but read.
void __VERIFIER_loop_begin(void) {}
void __VERIFIER_spin_start(void) {}
void __VERIFIER_spin_end(int c) { __ravel_spin_end(c != 0); }

// GenMC: hints. genmc.h has the ones that are macros.
void __VERIFIER_annotate_begin(int mask) {}
void __VERIFIER_annotate_end(int mask) {}
int __VERIFIER_opt_begin(void) { return 0; }
void __VERIFIER_method_begin(const char *name, int arg) {}
void __VERIFIER_method_end(const char *name, int result) {}

// GenMC: persistent memory, with nothing that ever crashes.
void *__VERIFIER_palloc(size_t n) { return malloc(n); }
void __VERIFIER_pbarrier(void) {}

// GenMC: abstract locks.
void __VERIFIER_plock_lock(u32 *l) { pthread_spin_lock(l); }
void __VERIFIER_plock_unlock(u32 *l) { pthread_spin_unlock(l); }

// GenMC: hazard pointers. What is retired may be freed as soon as no hazard pointer protects it that was set before. So an access of an
// object is right if the thread protects it by a hazard pointer that it set when the object was not retired yet, and otherwise if it is
// not retired. Retired objects stay allocated; __ravel_touch finds accesses of them.
typedef struct {
	void *it;
} hazard;

// The slots of retired objects, hashed by slot and owner. If two have the same place, the first one is forgotten.
enum { RETIRED = 4096 };
static u64 retired[RETIRED];

#define slot_of(p) ((u64)(p) << 17 >> (17 + SLOT_BIT))

INLINE u64 *mark_of(const void *p)
{
	u64 slot = slot_of(p);
	return &retired[(slot + (slot >> (OWNER_BIT - SLOT_BIT)) * 67) % RETIRED];
}

// The hazard pointers of a thread, and the slots of the objects that they protect, 0 for none.
enum { HAZARDS = 16 };
static _Thread_local struct {
	hazard *by;
	u64 slot;
} guards[HAZARDS];
static _Thread_local u32 guarding; // how many of them it has used

static void guard(hazard *h, u64 slot)
{
	u32 i = 0;
	while (i < guarding && guards[i].by != h)
		i++;
	if (i == HAZARDS)
		__ravel_error("unsupported", "a thread uses more than 16 hazard pointers");
	if (i == guarding) {
		guards[i].by = h;
		guarding = i + 1;
	}
	guards[i].slot = slot;
}

// __ravel_touch is linked only into programs that retire objects. In those, the machine calls it before every access of memory by the program
// that may be on the heap (internal/machine/touch.go).
void __ravel_touch(const void *p)
{
	u64 slot = slot_of(p);
	if (is_static(p))
		return;
	for (u32 i = 0; i < guarding; i++)
		if (guards[i].slot == slot)
			return;
	if (load(mark_of(p), rlx) == slot)
		__ravel_error_at("memory", "access of a retired object that no hazard pointer of this thread protects\nretired here", mark_of(p));
}

void __VERIFIER_hp_retire(void *p)
{
	if (p == (void *)__ravel_touch) // never; but now the program has it
		return;
	if (p && __atomic_exchange_n(mark_of(p), slot_of(p), acqrel) == slot_of(p))
		__ravel_error_at("memory", "an object is retired twice\nretired here before", mark_of(p));
}

hazard *__VERIFIER_hp_alloc(void) { return __ravel_alloc(sizeof(hazard), FAMILY(MALLOC) | ZEROED); }
void __VERIFIER_hp_clear(hazard *h) { guard(h, 0); }

void __VERIFIER_hp_free(hazard *h)
{
	guard(h, 0);
	free(h);
}

// Between setting a hazard pointer and using it, a thread reads the place where it found the object again. If it finds another one, it
// begins again; the execution in which it did not look before stands for that. If the place still leads to an object that is retired, the
// hazard pointer comes too late. That is an error only if the object is accessed: there may be a second look at where the place is.
void *__VERIFIER_hp_protect(hazard *h, void **place)
{
	void *p = load(place, acq);
	guard(h, 0);
	if (!p)
		return p;
	if (load(mark_of(p), acq) != slot_of(p))
		guard(h, slot_of(p));
	else if (load(place, acq) != p)
		redundant();
	return p;
}

// The parts that GenMC's own header makes these of. Its protect is taken to have looked again.
hazard *__VERIFIER_hazptr_alloc(void) { return __VERIFIER_hp_alloc(); }
void __VERIFIER_hazptr_protect(hazard *h, void *p) { guard(h, p ? slot_of(p) : 0); }
void __VERIFIER_hazptr_clear(hazard *h) { guard(h, 0); }
void __VERIFIER_hazptr_free(hazard *h) { __VERIFIER_hp_free(h); }
void __VERIFIER_hazptr_retire(void *p) { __VERIFIER_hp_retire(p); }

// CDSChecker: plain accesses that it looks for races of, and its assertions.
#define ACCESSES(n, t)                                    \
	void store_##n(void *p, t v) { *(t *)p = v; }     \
	t load_##n(const void *p) { return *(const t *)p; }
ACCESSES(8, u8)
ACCESSES(16, u16)
ACCESSES(32, u32)
ACCESSES(64, u64)

void model_assert(int c, const char *file, int line)
{
	if (!c)
		__ravel_error("assertion", "MODEL_ASSERT failed");
}
