// The functions that compilers call for atomic accesses they have no instruction for: because
// the order is a variable, because the size is (a C++ template at -O0), or because the object
// is larger than a word. Objects of other sizes than 1, 2, 4, 8 and 16 bytes, or that are not
// aligned, are accessed under a lock, as in libatomic.
#include "rt.h"

#define EACH_SIZE(X) X(1, u8) X(2, u16) X(4, u32) X(8, u64) X(16, u128)

#define SIZED(n, T)                                                                              \
	T atomic_load_##n(T *p, int order) __asm__("__atomic_load_" #n);                         \
	T atomic_load_##n(T *p, int order) { return __atomic_load_n(p, order); }                 \
	void atomic_store_##n(T *p, T v, int order) __asm__("__atomic_store_" #n);               \
	void atomic_store_##n(T *p, T v, int order) { __atomic_store_n(p, v, order); }           \
	T atomic_exchange_##n(T *p, T v, int order) __asm__("__atomic_exchange_" #n);            \
	T atomic_exchange_##n(T *p, T v, int order) { return __atomic_exchange_n(p, v, order); } \
	_Bool atomic_cas_##n(T *p, T *old, T v, int order, int fail)                             \
		__asm__("__atomic_compare_exchange_" #n);                                        \
	_Bool atomic_cas_##n(T *p, T *old, T v, int order, int fail)                             \
	{                                                                                        \
		return __atomic_compare_exchange_n(p, old, v, 0, order, fail);                   \
	}                                                                                        \
	FETCH(add, n, T) FETCH(sub, n, T) FETCH(and, n, T)                                       \
	FETCH(or, n, T) FETCH(xor, n, T) FETCH(nand, n, T)

#define FETCH(op, n, T)                                                                \
	T atomic_fetch_##op##_##n(T *p, T v, int order) __asm__("__atomic_fetch_" #op "_" #n); \
	T atomic_fetch_##op##_##n(T *p, T v, int order) { return __atomic_fetch_##op(p, v, order); }

EACH_SIZE(SIZED)

void atomic_load_any(size_t n, void *p, void *ret, int order) __asm__("__atomic_load");
void atomic_store_any(size_t n, void *p, void *v, int order) __asm__("__atomic_store");
void atomic_exchange_any(size_t n, void *p, void *v, void *ret, int order) __asm__("__atomic_exchange");
_Bool atomic_cas_any(size_t n, void *p, void *old, void *v, int order, int fail) __asm__("__atomic_compare_exchange");
_Bool atomic_is_lock_free(size_t n, void *p) __asm__("__atomic_is_lock_free");

// native is n if p can be accessed in one piece of n bytes.
INLINE size_t native(size_t n, void *p) { return (u64)p % n == 0 ? n : 0; }

static u32 large;

INLINE void lock_large(void)
{
	u32 w;
	do
		w = 0;
	while (!cas(&large, &w, 1, acq, rlx));
}

INLINE void unlock_large(void) { store(&large, 0, rel); }

void atomic_load_any(size_t n, void *p, void *ret, int order)
{
	switch (native(n, p)) {
#define LOAD(n, T)                                          \
	case n:                                             \
		*(T *)ret = atomic_load_##n((T *)p, order); \
		return;
		EACH_SIZE(LOAD)
	}
	lock_large();
	__builtin_memcpy(ret, p, n);
	unlock_large();
}

void atomic_store_any(size_t n, void *p, void *v, int order)
{
	switch (native(n, p)) {
#define STORE(n, T)                                      \
	case n:                                          \
		atomic_store_##n((T *)p, *(T *)v, order); \
		return;
		EACH_SIZE(STORE)
	}
	lock_large();
	__builtin_memcpy(p, v, n);
	unlock_large();
}

void atomic_exchange_any(size_t n, void *p, void *v, void *ret, int order)
{
	switch (native(n, p)) {
#define EXCHANGE(n, T)                                                     \
	case n:                                                            \
		*(T *)ret = atomic_exchange_##n((T *)p, *(T *)v, order);   \
		return;
		EACH_SIZE(EXCHANGE)
	}
	lock_large();
	__builtin_memcpy(ret, p, n);
	__builtin_memcpy(p, v, n);
	unlock_large();
}

_Bool atomic_cas_any(size_t n, void *p, void *old, void *v, int order, int fail)
{
	switch (native(n, p)) {
#define CAS(n, T)      \
	case n:        \
		return atomic_cas_##n((T *)p, (T *)old, *(T *)v, order, fail);
		EACH_SIZE(CAS)
	}
	lock_large();
	_Bool same = 1;
	for (size_t i = 0; i < n; i++)
		if (((u8 *)p)[i] != ((u8 *)old)[i])
			same = 0;
	if (same)
		__builtin_memcpy(p, v, n);
	else
		__builtin_memcpy(old, p, n);
	unlock_large();
	return same;
}

_Bool atomic_is_lock_free(size_t n, void *p)
{
	return (n == 1 || n == 2 || n == 4 || n == 8 || n == 16) && native(n, p);
}
