// What C++ code calls in libstdc++ and libc++abi without saying so: new and delete, errors. Exceptions are in exception.c.
#include "rt.h"

// operator new and new[]: plain, nothrow, aligned, both.
static void *new_object(size_t n, int family, size_t align)
{
	if (n > (size_t)-1 / 2)
		misuse("allocation of more bytes than an object can have: a negative size?");
	return __ravel_alloc_aligned(n, FAMILY(family), align);
}

void *_Znwm(size_t n) { return new_object(n, NEW, 1); }
void *_Znam(size_t n) { return new_object(n, NEW_ARRAY, 1); }
void *_ZnwmRKSt9nothrow_t(size_t n, const void *nothrow) { return new_object(n, NEW, 1); }
void *_ZnamRKSt9nothrow_t(size_t n, const void *nothrow) { return new_object(n, NEW_ARRAY, 1); }
void *_ZnwmSt11align_val_t(size_t n, size_t align) { return new_object(n, NEW_ALIGNED, align); }
void *_ZnamSt11align_val_t(size_t n, size_t align) { return new_object(n, NEW_ARRAY_ALIGNED, align); }
void *_ZnwmSt11align_val_tRKSt9nothrow_t(size_t n, size_t align, const void *nothrow) { return new_object(n, NEW_ALIGNED, align); }
void *_ZnamSt11align_val_tRKSt9nothrow_t(size_t n, size_t align, const void *nothrow) { return new_object(n, NEW_ARRAY_ALIGNED, align); }

// operator delete and delete[]: plain, sized, nothrow, aligned.
static void end_object(void *p, int family, size_t size)
{
	if (p)
		__ravel_free(p, family, size);
}

void _ZdlPv(void *p) { end_object(p, NEW, 0); }
void _ZdaPv(void *p) { end_object(p, NEW_ARRAY, 0); }
void _ZdlPvm(void *p, size_t n) { end_object(p, NEW, n + 1); }
void _ZdaPvm(void *p, size_t n) { end_object(p, NEW_ARRAY, n + 1); }
void _ZdlPvRKSt9nothrow_t(void *p, const void *nothrow) { end_object(p, NEW, 0); }
void _ZdaPvRKSt9nothrow_t(void *p, const void *nothrow) { end_object(p, NEW_ARRAY, 0); }
void _ZdlPvSt11align_val_t(void *p, size_t align) { end_object(p, NEW_ALIGNED, 0); }
void _ZdaPvSt11align_val_t(void *p, size_t align) { end_object(p, NEW_ARRAY_ALIGNED, 0); }
void _ZdlPvmSt11align_val_t(void *p, size_t n, size_t align) { end_object(p, NEW_ALIGNED, n + 1); }
void _ZdaPvmSt11align_val_t(void *p, size_t n, size_t align) { end_object(p, NEW_ARRAY_ALIGNED, n + 1); }
void _ZdlPvSt11align_val_tRKSt9nothrow_t(void *p, size_t align, const void *nothrow) { end_object(p, NEW_ALIGNED, 0); }
void _ZdaPvSt11align_val_tRKSt9nothrow_t(void *p, size_t align, const void *nothrow) { end_object(p, NEW_ARRAY_ALIGNED, 0); }

const char _ZSt7nothrow = 0;
const char __libc_single_threaded = 0; // asked by shared_ptr
void *__dso_handle = NULL;

_Noreturn void __cxa_pure_virtual(void) { misuse("call of a pure virtual function"); }
_Noreturn void __cxa_deleted_virtual(void) { misuse("call of a deleted virtual function"); }

// _GLIBCXX_ASSERTIONS.
_Noreturn void _ZSt21__glibcxx_assert_failPKciS0_S0_(const char *file, int line, const char *fn, const char *what)
{
	__ravel_error("assertion", what);
}

// make_shared's tag: the header compares addresses first, which is enough.
int _ZNSt19_Sp_make_shared_tag5_S_eqERKSt9type_info(const void *type) { return 0; }

// std::allocator<char>, at -O0.
void _ZNSaIcEC1Ev(void *a) {}
void _ZNSaIcEC2Ev(void *a) {}
void _ZNSaIcEC1ERKS_(void *a, const void *b) {}
void _ZNSaIcEC2ERKS_(void *a, const void *b) {}
void _ZNSaIcED1Ev(void *a) {}
void _ZNSaIcED2Ev(void *a) {}

// std::random_device: any number.
u32 __VERIFIER_nondet_uint(void);
void _ZNSt13random_device7_M_initERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(void *d, const void *token) {}
void _ZNSt13random_device7_M_finiEv(void *d) {}
u32 _ZNSt13random_device9_M_getvalEv(void *d) { return __VERIFIER_nondet_uint(); }
double _ZNKSt13random_device13_M_getentropyEv(const void *d) { return 32; }

// std::allocator<wchar_t>, and what std::wstring needs.
void _ZNSaIwEC1Ev(void *a) {}
void _ZNSaIwEC2Ev(void *a) {}
void _ZNSaIwEC1ERKS_(void *a, const void *b) {}
void _ZNSaIwEC2ERKS_(void *a, const void *b) {}
void _ZNSaIwED1Ev(void *a) {}
void _ZNSaIwED2Ev(void *a) {}

size_t wcslen(const u32 *s)
{
	size_t n = 0;
	while (s[n])
		n++;
	return n;
}

u32 *wmemcpy(u32 *d, const u32 *s, size_t n) { return __builtin_memcpy(d, s, 4 * n); }
u32 *wmemmove(u32 *d, const u32 *s, size_t n) { return __builtin_memmove(d, s, 4 * n); }

u32 *wmemset(u32 *d, u32 c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		d[i] = c;
	return d;
}

int wmemcmp(const int *a, const int *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}
