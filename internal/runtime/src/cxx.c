// What C++ code calls in libstdc++ and libc++abi without saying so: new and delete, errors,
// type information. Exceptions can't be caught: a throw ends the run.
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
#define NO_EXCEPTIONS __ravel_error("unsupported", "a C++ exception is thrown, and ravel can't tell whether and where the program catches it")
_Noreturn void __cxa_throw(void *e, void *type, void (*destroy)(void *)) { NO_EXCEPTIONS; }

// The front end takes this for __cxa_throw where the program catches nothing. The second word of a type's description is
// its name, such as St11logic_error or 7my_type.
_Noreturn void __ravel_throw(void *e, const char *const *type, void (*destroy)(void *))
{
	const char *name = type[1];
	u64 w[4] = {0}, n = 0;
	if (name[0] == 'S' && name[1] == 't') {
		w[0] = 0x3a3a647473; // std::
		n = 5;
		name += 2;
	}
	while (*name >= '0' && *name <= '9')
		name++;
	for (; *name && n < sizeof w; name++, n++)
		w[n / 8] |= (u64)*name << n % 8 * 8;
	__ravel_error_text("assertion", "an exception is thrown that the program does not catch: ", w[0], w[1], w[2], w[3]);
}
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

// dynamic_cast. What a type_info is can be told by its own vtable.
typedef struct type_info {
	const void *vtable;
	const char *name;
	const struct type_info *base; // of one with a single base
} type_info;

typedef struct {
	type_info it;      // base is two numbers: flags, and how many bases
	struct {
		const type_info *type;
		long where; // bit 0: virtual; bit 1: public; from bit 8: the offset, of a virtual one of where in the vtable the offset is
	} base[];
} many_bases;

// subobject looks for the public base dst in the object at p, which is of the type t; *n counts those at different addresses.
static char *subobject(const type_info *t, char *p, const type_info *dst, u32 *n)
{
	if (t == dst) {
		++*n;
		return p;
	}
	if (t->vtable == &_ZTVN10__cxxabiv120__si_class_type_infoE[2])
		return subobject(t->base, p, dst, n);
	if (t->vtable != &_ZTVN10__cxxabiv121__vmi_class_type_infoE[2])
		return NULL;
	const many_bases *m = (const many_bases *)t;
	char *found = NULL;
	for (u32 i = 0, count = (u64)t->base >> 32; i < count; i++) {
		long where = m->base[i].where, offset = where >> 8;
		if (!(where & 2))
			continue;
		if (where & 1)
			offset = *(long *)(*(char **)p + offset);
		u32 k = 0;
		char *q = subobject(m->base[i].type, p + offset, dst, &k);
		if (q && q != found) {
			*n += k;
			found = q;
		}
	}
	return found;
}

void *__dynamic_cast(char *sub, const type_info *src, const type_info *dst, long hint)
{
	const type_info *const *table = *(const type_info *const *const *)sub;
	u32 n = 0;
	char *found = subobject(table[-1], sub + ((const long *)table)[-2], dst, &n);
	return n == 1 ? found : NULL;
}

// The classes of <stdexcept>, as programs make and throw them: a pointer to what() is behind the vtable's.
typedef struct {
	const void *vtable;
	const char *what;
} std_error;

#define STRING_(x) #x
#define STRING(x) STRING_(x)
#define ERROR_CLASS(name, base) \
	const char _ZTS##name[] = STRING(name); \
	const void *const _ZTI##name[3] = {&_ZTVN10__cxxabiv120__si_class_type_infoE[2], _ZTS##name, base}; \
	words _ZTV##name = {0}; \
	void _ZN##name##C1EPKc(std_error *e, const char *what) { e->what = what; } \
	void _ZN##name##C2EPKc(std_error *e, const char *what) { e->what = what; } \
	void _ZN##name##C1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(std_error *e, const char *const *what) { e->what = *what; } \
	void _ZN##name##C2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(std_error *e, const char *const *what) { e->what = *what; } \
	void _ZN##name##D1Ev(std_error *e) {} \
	void _ZN##name##D2Ev(std_error *e) {} \
	const char *_ZNK##name##4whatEv(const std_error *e) { return e->what; }
const char _ZTSSt9exception[] = "St9exception";
const void *const _ZTISt9exception[2] = {&_ZTVN10__cxxabiv117__class_type_infoE[2], _ZTSSt9exception};
void _ZNSt9exceptionD2Ev(void *e) {}
void _ZNSt9exceptionD1Ev(void *e) {}
ERROR_CLASS(St11logic_error, _ZTISt9exception)
ERROR_CLASS(St13runtime_error, _ZTISt9exception)
ERROR_CLASS(St12domain_error, _ZTISt11logic_error)
ERROR_CLASS(St16invalid_argument, _ZTISt11logic_error)
ERROR_CLASS(St12length_error, _ZTISt11logic_error)
ERROR_CLASS(St12out_of_range, _ZTISt11logic_error)
ERROR_CLASS(St11range_error, _ZTISt13runtime_error)
ERROR_CLASS(St14overflow_error, _ZTISt13runtime_error)
ERROR_CLASS(St15underflow_error, _ZTISt13runtime_error)

// The types that are part of the language.
#define BASIC_TYPE(code) \
	const char _ZTS##code[] = #code; \
	const void *const _ZTI##code[2] = {&_ZTVN10__cxxabiv123__fundamental_type_infoE[2], _ZTS##code};
BASIC_TYPE(i)
BASIC_TYPE(j)
BASIC_TYPE(l)
BASIC_TYPE(m)
BASIC_TYPE(b)
BASIC_TYPE(c)
BASIC_TYPE(d)
BASIC_TYPE(PKc)

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
