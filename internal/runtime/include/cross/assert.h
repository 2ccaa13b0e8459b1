// The headers in this folder stand in for those of a C library, if none is installed for the target: see frontend/llvm/clang.go.
#undef assert
#ifdef NDEBUG
#define assert(x) ((void)0)
#else
#define assert(x) ((x) ? (void)0 : __assert_fail(#x, __FILE__, __LINE__, __func__))
#endif
#ifndef static_assert
#define static_assert _Static_assert
#endif
_Noreturn void __assert_fail(const char *, const char *, unsigned, const char *);
