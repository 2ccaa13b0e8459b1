// The functions that compilers call for atomic accesses they have no instruction for: because
// the order is a variable, because the size is (a C++ template at -O0), or because the object
// is larger than a word. Objects of other sizes than 1, 2, 4, 8 and 16 bytes, or that are not
// aligned, are accessed under a lock, as in libatomic.
#include "rt.h"

#if __SIZEOF_POINTER__ == 8
#define EACH_ALIGNED(X) X(1, u8) X(2, u16) X(4, u32) X(8, u64) X(16, u128)
#define EACH_SIZE(X) EACH_ALIGNED(X)
#else
#define EACH_ALIGNED(X) X(1, u8) X(2, u16) X(4, u32)
#define EACH_SIZE(X) EACH_ALIGNED(X) X(8, v64)
#endif

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

EACH_ALIGNED(SIZED)

static u32 large;

INLINE void lock_large(void)
{
	u32 w;
	do
		w = 0;
	while (!cas(&large, &w, 1, acq, rlx));
}

INLINE void unlock_large(void) { store(&large, 0, rel); }

#if __SIZEOF_POINTER__ == 4
// Objects of 8 bytes, which need not be aligned to more than 4.
typedef unsigned long long v64;
#define IF_ALIGNED(p, access)  \
	if ((size_t)(p) % 8 == 0) \
		access;
#define FETCH8(op, result)                                                                     \
	v64 atomic_fetch_##op##_8(void *p, v64 v, int order) __asm__("__atomic_fetch_" #op "_8"); \
	v64 atomic_fetch_##op##_8(void *p, v64 v, int order)                                   \
	{                                                                                      \
		IF_ALIGNED(p, return __atomic_fetch_##op((u64 *)p, v, order))                  \
		lock_large();                                                                  \
		v64 old = *(v64 *)p;                                                           \
		*(v64 *)p = result;                                                            \
		unlock_large();                                                                \
		return old;                                                                    \
	}
FETCH8(add, old + v)
FETCH8(sub, old - v)
FETCH8(and, old & v)
FETCH8(or, old | v)
FETCH8(xor, old ^ v)
FETCH8(nand, ~(old & v))

v64 atomic_load_8(void *p, int order) __asm__("__atomic_load_8");
v64 atomic_load_8(void *p, int order)
{
	IF_ALIGNED(p, return __atomic_load_n((u64 *)p, order))
	lock_large();
	v64 v = *(v64 *)p;
	unlock_large();
	return v;
}

void atomic_store_8(void *p, v64 v, int order) __asm__("__atomic_store_8");
void atomic_store_8(void *p, v64 v, int order)
{
	IF_ALIGNED(p, {
		__atomic_store_n((u64 *)p, v, order);
		return;
	})
	lock_large();
	*(v64 *)p = v;
	unlock_large();
}

v64 atomic_exchange_8(void *p, v64 v, int order) __asm__("__atomic_exchange_8");
v64 atomic_exchange_8(void *p, v64 v, int order)
{
	IF_ALIGNED(p, return __atomic_exchange_n((u64 *)p, v, order))
	lock_large();
	v64 old = *(v64 *)p;
	*(v64 *)p = v;
	unlock_large();
	return old;
}

_Bool atomic_cas_8(void *p, v64 *old, v64 v, int order, int fail) __asm__("__atomic_compare_exchange_8");
_Bool atomic_cas_8(void *p, v64 *old, v64 v, int order, int fail)
{
	v64 want = *old, have;
	IF_ALIGNED(p, {
		u64 now = want;
		_Bool same = __atomic_compare_exchange_n((u64 *)p, &now, v, 0, order, fail);
		if (!same)
			*old = now;
		return same;
	})
	lock_large();
	have = *(v64 *)p;
	if (have == want)
		*(v64 *)p = v;
	unlock_large();
	if (have != want)
		*old = have;
	return have == want;
}
#endif

void atomic_load_any(size_t n, void *p, void *ret, int order) __asm__("__atomic_load");
void atomic_store_any(size_t n, void *p, void *v, int order) __asm__("__atomic_store");
void atomic_exchange_any(size_t n, void *p, void *v, void *ret, int order) __asm__("__atomic_exchange");
_Bool atomic_cas_any(size_t n, void *p, void *old, void *v, int order, int fail) __asm__("__atomic_compare_exchange");
_Bool atomic_is_lock_free(size_t n, void *p) __asm__("__atomic_is_lock_free");

// native is n if p can be accessed in one piece of n bytes.
INLINE size_t native(size_t n, void *p) { return (u64)p % n == 0 ? n : 0; }

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
	return (n == 1 || n == 2 || n == 4 || n == 8 || (n == 16 && sizeof(void *) == 8)) && native(n, p);
}
