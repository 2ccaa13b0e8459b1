// What C++ code calls in libstdc++ and libc++abi without saying so: new and delete, errors,
// type information. There are no exceptions: a throw ends the run.
#include "rt.h"

// operator new and new[]: plain, nothrow, aligned, both.
void *_Znwm(size_t n) { return malloc(n); }
void *_Znam(size_t n) { return malloc(n); }
void *_ZnwmRKSt9nothrow_t(size_t n, const void *nothrow) { return malloc(n); }
void *_ZnamRKSt9nothrow_t(size_t n, const void *nothrow) { return malloc(n); }
void *_ZnwmSt11align_val_t(size_t n, size_t align) { return malloc(n); }
void *_ZnamSt11align_val_t(size_t n, size_t align) { return malloc(n); }
void *_ZnwmSt11align_val_tRKSt9nothrow_t(size_t n, size_t align, const void *nothrow) { return malloc(n); }
void *_ZnamSt11align_val_tRKSt9nothrow_t(size_t n, size_t align, const void *nothrow) { return malloc(n); }

// operator delete and delete[]: plain, sized, nothrow, aligned.
void _ZdlPv(void *p) { free(p); }
void _ZdaPv(void *p) { free(p); }
void _ZdlPvm(void *p, size_t n) { free(p); }
void _ZdaPvm(void *p, size_t n) { free(p); }
void _ZdlPvRKSt9nothrow_t(void *p, const void *nothrow) { free(p); }
void _ZdaPvRKSt9nothrow_t(void *p, const void *nothrow) { free(p); }
void _ZdlPvSt11align_val_t(void *p, size_t align) { free(p); }
void _ZdaPvSt11align_val_t(void *p, size_t align) { free(p); }
void _ZdlPvmSt11align_val_t(void *p, size_t n, size_t align) { free(p); }
void _ZdaPvmSt11align_val_t(void *p, size_t n, size_t align) { free(p); }
void _ZdlPvSt11align_val_tRKSt9nothrow_t(void *p, size_t align, const void *nothrow) { free(p); }
void _ZdaPvSt11align_val_tRKSt9nothrow_t(void *p, size_t align, const void *nothrow) { free(p); }

const char _ZSt7nothrow = 0;
const char __libc_single_threaded = 0; // asked by shared_ptr
void *__dso_handle = NULL;

_Noreturn void __cxa_pure_virtual(void) { misuse("call of a pure virtual function"); }
_Noreturn void __cxa_deleted_virtual(void) { misuse("call of a deleted virtual function"); }
_Noreturn void _ZSt9terminatev(void) { __ravel_error("assertion", "std::terminate() was called"); }
_Noreturn void __cxa_bad_cast(void) { misuse("std::bad_cast"); }
_Noreturn void __cxa_bad_typeid(void) { misuse("std::bad_typeid"); }
_Noreturn void __cxa_throw_bad_array_new_length(void) { misuse("std::bad_array_new_length"); }

// _GLIBCXX_ASSERTIONS.
_Noreturn void _ZSt21__glibcxx_assert_failPKciS0_S0_(const char *file, int line, const char *fn, const char *what)
{
	__ravel_error("assertion", what);
}

// Exceptions.
#define NO_EXCEPTIONS __ravel_error("unsupported", "a C++ exception is thrown, and ravel has no exceptions")
_Noreturn void __cxa_throw(void *e, void *type, void (*destroy)(void *)) { NO_EXCEPTIONS; }
_Noreturn void __cxa_rethrow(void) { NO_EXCEPTIONS; }
_Noreturn void _Unwind_Resume(void *e) { NO_EXCEPTIONS; }
_Noreturn void _ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE(void *e) { NO_EXCEPTIONS; }
void *__cxa_allocate_exception(size_t n) { return malloc(n); }
void __cxa_free_exception(void *e) { free(e); }
void *__cxa_begin_catch(void *e) { return e; }
void __cxa_end_catch(void) {}
int __gxx_personality_v0(void) { return 0; }
int _ZSt18uncaught_exceptionv(void) { return 0; }
int _ZSt19uncaught_exceptionsv(void) { return 0; }

// What the headers throw through a function: the run ends with the exception's name.
#define THROW(symbol, params, name) \
	_Noreturn void symbol params { __ravel_error("call", name " is thrown"); }
THROW(_ZSt17__throw_bad_allocv, (void), "std::bad_alloc")
THROW(_ZSt28__throw_bad_array_new_lengthv, (void), "std::bad_array_new_length")
THROW(_ZSt16__throw_bad_castv, (void), "std::bad_cast")
THROW(_ZSt18__throw_bad_typeidv, (void), "std::bad_typeid")
THROW(_ZSt21__throw_bad_exceptionv, (void), "std::bad_exception")
THROW(_ZSt25__throw_bad_function_callv, (void), "std::bad_function_call")
THROW(_ZSt19__throw_logic_errorPKc, (const char *what), "std::logic_error")
THROW(_ZSt20__throw_domain_errorPKc, (const char *what), "std::domain_error")
THROW(_ZSt24__throw_invalid_argumentPKc, (const char *what), "std::invalid_argument")
THROW(_ZSt20__throw_length_errorPKc, (const char *what), "std::length_error")
THROW(_ZSt20__throw_out_of_rangePKc, (const char *what), "std::out_of_range")
THROW(_ZSt24__throw_out_of_range_fmtPKcz, (const char *what, ...), "std::out_of_range")
THROW(_ZSt21__throw_runtime_errorPKc, (const char *what), "std::runtime_error")
THROW(_ZSt19__throw_range_errorPKc, (const char *what), "std::range_error")
THROW(_ZSt22__throw_overflow_errorPKc, (const char *what), "std::overflow_error")
THROW(_ZSt23__throw_underflow_errorPKc, (const char *what), "std::underflow_error")
THROW(_ZSt20__throw_future_errori, (int code), "std::future_error")
THROW(_ZSt19__throw_ios_failurePKc, (const char *what), "std::ios_base::failure")

_Noreturn void _ZSt20__throw_system_errori(int code)
{
	switch (code) {
	case EPERM:
		misuse("std::system_error is thrown: operation not permitted");
	case EDEADLK:
		misuse("std::system_error is thrown: resource deadlock would occur");
	}
	misuse("std::system_error is thrown");
}

// Type information: addresses that objects and typeinfos point to; nothing reads them.
typedef const void *const words[8];
words _ZTVN10__cxxabiv117__class_type_infoE = {0};
words _ZTVN10__cxxabiv120__si_class_type_infoE = {0};
words _ZTVN10__cxxabiv121__vmi_class_type_infoE = {0};
words _ZTVN10__cxxabiv119__pointer_type_infoE = {0};
words _ZTVN10__cxxabiv120__function_type_infoE = {0};
words _ZTVN10__cxxabiv123__fundamental_type_infoE = {0};

// make_shared's tag: the header compares addresses first, which is enough.
int _ZNSt19_Sp_make_shared_tag5_S_eqERKSt9type_info(const void *type) { return 0; }

// std::future and std::promise: the base of their results, and pointers to exceptions, which are
// always null.
typedef struct {
	const void *vtable;
	void *error;
} future_result;

void _ZNSt13__future_base12_Result_baseC2Ev(future_result *r) { r->error = NULL; }
void _ZNSt13__future_base12_Result_baseD2Ev(future_result *r) {}
words _ZTINSt13__future_base12_Result_baseE = {0};
void _ZNSt15__exception_ptr13exception_ptr9_M_addrefEv(void **e) {}
void _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(void **e) {}
void _ZSt17current_exceptionv(void **result) { *result = NULL; }
const void *_ZNSt3_V216generic_categoryEv(void) { return _ZTINSt13__future_base12_Result_baseE; }
const void *_ZNSt3_V215system_categoryEv(void) { return _ZTINSt13__future_base12_Result_baseE; }
const void *_ZSt15future_categoryv(void) { return _ZTINSt13__future_base12_Result_baseE; }

// std::allocator<char>, at -O0.
void _ZNSaIcEC1Ev(void *a) {}
void _ZNSaIcEC2Ev(void *a) {}
void _ZNSaIcEC1ERKS_(void *a, const void *b) {}
void _ZNSaIcEC2ERKS_(void *a, const void *b) {}
void _ZNSaIcED1Ev(void *a) {}
void _ZNSaIcED2Ev(void *a) {}
