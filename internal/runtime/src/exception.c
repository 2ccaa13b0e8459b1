// Exceptions, and the descriptions of types that they and dynamic_cast go by.
//
// To throw is to return: the front end gives functions one more result, the exception that ends them (frontend/llvm/unwind.go). It asks
// __ravel_catches for each handler on the way. In a program that catches nothing, a throw is an error where it is.
#include "rt.h"

_Noreturn void __ravel_unwind(void *e);
_Bool __ravel_unwinds(void);

// Type information: what a type_info is can be told by its own vtable.
typedef const void *const words[8];
words _ZTVN10__cxxabiv117__class_type_infoE = {0};
words _ZTVN10__cxxabiv120__si_class_type_infoE = {0};
words _ZTVN10__cxxabiv121__vmi_class_type_infoE = {0};
words _ZTVN10__cxxabiv119__pointer_type_infoE = {0};
words _ZTVN10__cxxabiv129__pointer_to_member_type_infoE = {0};
words _ZTVN10__cxxabiv120__function_type_infoE = {0};
words _ZTVN10__cxxabiv117__array_type_infoE = {0};
words _ZTVN10__cxxabiv116__enum_type_infoE = {0};
words _ZTVN10__cxxabiv123__fundamental_type_infoE = {0};

typedef struct type_info {
	const void *vtable;
	const char *name;
	const struct type_info *base; // of one with a single base
} type_info;

typedef struct {
	const void *vtable;
	const char *name;
	u32 qualifiers; // of what is pointed to: 1 const, 2 volatile, 4 restrict
	const type_info *to;
} pointer_info;

typedef struct {
	const void *vtable;
	const char *name;
	u32 flags, count; // of bases
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
	for (u32 i = 0; i < m->count; i++) {
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

// The types that are part of the language, and pointers to them.
#define POINTER_TYPE(code, target, qualified) \
	const char _ZTS##code[] = #code; \
	const pointer_info _ZTI##code = {&_ZTVN10__cxxabiv119__pointer_type_infoE[2], _ZTS##code, qualified, (const type_info *)target};
#define BASIC_TYPE(code) \
	const char _ZTS##code[] = #code; \
	const void *const _ZTI##code[2] = {&_ZTVN10__cxxabiv123__fundamental_type_infoE[2], _ZTS##code}; \
	POINTER_TYPE(P##code, _ZTI##code, 0) \
	POINTER_TYPE(PK##code, _ZTI##code, 1)
BASIC_TYPE(v)
BASIC_TYPE(b)
BASIC_TYPE(c)
BASIC_TYPE(a)
BASIC_TYPE(h)
BASIC_TYPE(w)
BASIC_TYPE(s)
BASIC_TYPE(t)
BASIC_TYPE(i)
BASIC_TYPE(j)
BASIC_TYPE(l)
BASIC_TYPE(m)
BASIC_TYPE(x)
BASIC_TYPE(y)
BASIC_TYPE(f)
BASIC_TYPE(d)
BASIC_TYPE(Dn)

// What is before the object that is thrown. What the program gets at a landing pad is UNWIND_HEADER bytes before the object, where others
// have the unwinder's own header: clang finds the object from there if it catches a reference to a pointer.
typedef struct exception {
	const type_info *type;
	void (*destroy)(void *);
	void *object;              // thrown by rethrow_exception, it is another exception's
	void *caught;              // the object, or its base, or the pointer, that the handler gets
	struct exception *outer;   // that is being handled
	int handlers;              // that are in it; less than 0 while it is thrown again from one
	u32 references;            // its handlers together are one, the others are std::exception_ptrs
	u64 unwind_header[4];
} exception;

enum { UNWIND_HEADER = 32 };
#define HANDLE(e) ((void *)(e)->unwind_header)
#define EXCEPTION(handle) ((exception *)((char *)(handle) - (sizeof(exception) - UNWIND_HEADER)))
#define OBJECT(e) ((void *)((e) + 1))
#define OF_OBJECT(p) ((exception *)(p)-1)

static _Thread_local exception *handled; // the innermost
static _Thread_local int in_flight;

void *__cxa_allocate_exception(size_t n)
{
	exception *e = malloc(sizeof *e + n);
	return OBJECT(e);
}

void __cxa_free_exception(void *p) { free(OF_OBJECT(p)); }

static void release(exception *e)
{
	if (__atomic_fetch_sub(&e->references, 1, acqrel) != 1)
		return;
	if (e->object != OBJECT(e))
		release(OF_OBJECT(e->object));
	else if (e->destroy)
		e->destroy(e->object);
	free(e);
}

// fail_with ends the run with a text and the name of the exception's type: the second word of its description is such as St11logic_error
// or 7my_type. Who wrote the word at place has thrown it; then the text has a second line, which says so.
static _Noreturn void fail_with(const char *text, const type_info *const *place, const type_info *type)
{
	const char *name = type->name;
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
	if (place)
		__ravel_error_text("assertion", text, (u64)place, w[0], w[1], w[2], w[3]);
	__ravel_error_text("assertion", text, w[0], w[1], w[2], w[3]);
}

static _Noreturn void fail(const char *text, const exception *e) { fail_with(text, &e->type, e->type); }

_Bool __ravel_is_jump(void *e);

_Noreturn void __ravel_uncaught(void *handle)
{
	if (__ravel_is_jump(handle))
		misuse("longjmp() to a place whose function has returned, or of another thread");
 	fail("an exception is thrown that the program does not catch: \nthrown here", EXCEPTION(handle));
}

static _Noreturn void fail_at_once(const type_info *type) { fail_with("an exception is thrown that the program does not catch: ", NULL, type); }

_Noreturn void _ZSt9terminatev(void)
{
	if (handled)
		fail("std::terminate() was called because of an exception: \nthrown here", handled);
	__ravel_error("assertion", "std::terminate() was called");
}

exception *__cxa_init_primary_exception(void *p, const type_info *type, void (*destroy)(void *))
{
	exception *e = OF_OBJECT(p);
	e->type = type;
	e->destroy = destroy;
	e->object = p;
	e->outer = NULL;
	e->handlers = 0;
	e->references = 0;
	return e;
}

_Noreturn void __cxa_throw(void *p, const type_info *type, void (*destroy)(void *))
{
	if (!__ravel_unwinds())
		fail_at_once(type);
	exception *e = __cxa_init_primary_exception(p, type, destroy);
	e->references = 1;
	in_flight++;
	__ravel_unwind(HANDLE(e));
}

// takes reports whether a handler of the type wanted takes an object of type t, and gives what it gets in *p, which is the object.
static _Bool takes(const type_info *wanted, const type_info *t, void **p)
{
	if (t->vtable != &_ZTVN10__cxxabiv119__pointer_type_infoE[2]) {
		if (wanted == t)
			return 1;
		if (t == (const void *)_ZTIDn && wanted->vtable == &_ZTVN10__cxxabiv119__pointer_type_infoE[2]) {
			*p = NULL;
			return 1;
		}
		u32 n = 0;
		char *base = subobject(t, *p, wanted, &n);
		if (n != 1)
			return 0;
		*p = base;
		return 1;
	}
	if (wanted->vtable != t->vtable)
		return 0;
	char *value = *(char **)*p;
	const pointer_info *from = (const pointer_info *)t, *to = (const pointer_info *)wanted;
	if (from->qualifiers & ~to->qualifiers)
		return 0;
	if (from->to != to->to && to->to != (const void *)_ZTIv) {
		u32 n = 0;
		if (!value) // its bases can't be looked at, but there is none to point to either
			subobject(from->to, NULL, to->to, &n);
		else
			value = subobject(from->to, value, to->to, &n);
		if (n != 1)
			return 0;
	}
	*p = value;
	return 1;
}

_Bool __ravel_catches(void *handle, const type_info *wanted)
{
	exception *e = EXCEPTION(handle);
	void *p = e->object;
	if (wanted && !takes(wanted, e->type, &p))
		return 0;
	e->caught = p;
	return 1;
}

void *__cxa_get_exception_ptr(void *handle) { return EXCEPTION(handle)->caught; }

void *__cxa_begin_catch(void *handle)
{
	exception *e = EXCEPTION(handle);
	e->handlers = (e->handlers < 0 ? -e->handlers : e->handlers) + 1;
	in_flight--;
	if (handled != e) {
		e->outer = handled;
		handled = e;
	}
	return e->caught;
}

void __cxa_end_catch(void)
{
	exception *e = handled;
	if (e->handlers < 0) {
		if (++e->handlers == 0)
			handled = e->outer; // it is thrown again, and still needed
	} else if (--e->handlers == 0) {
		handled = e->outer;
		release(e);
	}
}

_Noreturn void __cxa_rethrow(void)
{
	exception *e = handled;
	if (!e)
		_ZSt9terminatev();
	e->handlers = -e->handlers;
	in_flight++;
	__ravel_unwind(HANDLE(e));
}

_Noreturn void __cxa_call_unexpected(void *handle) { fail("a function throws an exception of a type that it does not declare: \nthrown here", EXCEPTION(handle)); }
_Noreturn void _Unwind_Resume(void *handle) { __ravel_unwind(handle); }
int __gxx_personality_v0(void) { return 0; }
_Bool _ZSt18uncaught_exceptionv(void) { return in_flight != 0; }
int _ZSt19uncaught_exceptionsv(void) { return in_flight; }
words _ZTIN10__cxxabiv115__forced_unwindE = {0}; // what pthread_cancel throws elsewhere

// A std::exception_ptr is the address of the object.
typedef struct {
	void *object;
} exception_ptr;

void _ZNSt15__exception_ptr13exception_ptr9_M_addrefEv(exception_ptr *p)
{
	if (p->object)
		__atomic_fetch_add(&OF_OBJECT(p->object)->references, 1, rlx);
}

void _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(exception_ptr *p)
{
	if (p->object)
		release(OF_OBJECT(p->object));
	p->object = NULL;
}

#define ADD_REFERENCE(p) _ZNSt15__exception_ptr13exception_ptr9_M_addrefEv(p)
#define RELEASE(p) _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(p)

void _ZNSt15__exception_ptr13exception_ptrC1EPv(exception_ptr *p, void *object)
{
	p->object = object;
	ADD_REFERENCE(p);
}

void _ZNSt15__exception_ptr13exception_ptrC1ERKS0_(exception_ptr *p, const exception_ptr *q)
{
	p->object = q->object;
	ADD_REFERENCE(p);
}

void _ZNSt15__exception_ptr13exception_ptrC1Ev(exception_ptr *p) { p->object = NULL; }
void _ZNSt15__exception_ptr13exception_ptrC1EDn(exception_ptr *p, void *null) { p->object = NULL; }
void _ZNSt15__exception_ptr13exception_ptrD1Ev(exception_ptr *p) { RELEASE(p); }

exception_ptr *_ZNSt15__exception_ptr13exception_ptraSERKS0_(exception_ptr *p, const exception_ptr *q)
{
	exception_ptr old = *p;
	p->object = q->object;
	ADD_REFERENCE(p);
	RELEASE(&old);
	return p;
}

void _ZNSt15__exception_ptr13exception_ptr4swapERS0_(exception_ptr *p, exception_ptr *q)
{
	exception_ptr old = *p;
	*p = *q;
	*q = old;
}

_Bool _ZNSt15__exception_ptreqERKNS_13exception_ptrES2_(const exception_ptr *p, const exception_ptr *q) { return p->object == q->object; }
_Bool _ZNSt15__exception_ptrneERKNS_13exception_ptrES2_(const exception_ptr *p, const exception_ptr *q) { return p->object != q->object; }
const type_info *_ZNKSt15__exception_ptr13exception_ptr20__cxa_exception_typeEv(const exception_ptr *p) { return OF_OBJECT(p->object)->type; }

void _ZSt17current_exceptionv(exception_ptr *result)
{
	result->object = handled ? handled->object : NULL;
	ADD_REFERENCE(result);
}

// Several threads may throw the same object at a time, so each throws an exception of its own.
_Noreturn void _ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE(exception_ptr *p)
{
	exception *of = OF_OBJECT(p->object);
	if (!__ravel_unwinds())
		fail_at_once(of->type);
	exception *e = malloc(sizeof *e);
	__cxa_init_primary_exception(OBJECT(e), of->type, NULL);
	e->object = p->object;
	e->references = 1;
	ADD_REFERENCE(p);
	in_flight++;
	__ravel_unwind(HANDLE(e));
}

// The classes of the standard library's exceptions. Those with a text keep a copy of it.
typedef struct {
	const void *vtable;
	char *what;
} std_error;

static void set_text(std_error *e, const char *text)
{
	size_t n = strlen(text) + 1;
	e->what = malloc(n);
	__builtin_memcpy(e->what, text, n);
}

#define STRING_(x) #x
#define STRING(x) STRING_(x)
#define ERROR_TYPE(name, base, tell) \
	const char _ZTS##name[] = STRING(name); \
	const void *const _ZTI##name[3] = {&_ZTVN10__cxxabiv120__si_class_type_infoE[2], _ZTS##name, base}; \
	void _ZN##name##D1Ev(std_error *e); \
	void _ZN##name##D0Ev(std_error *e) \
	{ \
		_ZN##name##D1Ev(e); \
		_ZdlPv(e); \
	} \
	words _ZTV##name = {NULL, _ZTI##name, _ZN##name##D1Ev, _ZN##name##D0Ev, tell};

#define TEXT_ERROR(name, base, tell) \
	ERROR_TYPE(name, base, tell) \
	void _ZN##name##C1EPKc(std_error *e, const char *text) \
	{ \
		e->vtable = &_ZTV##name[2]; \
		set_text(e, text); \
	} \
	void _ZN##name##C2EPKc(std_error *e, const char *text) { _ZN##name##C1EPKc(e, text); } \
	void _ZN##name##C1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(std_error *e, const char *const *text) { _ZN##name##C1EPKc(e, *text); } \
	void _ZN##name##C2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(std_error *e, const char *const *text) { _ZN##name##C1EPKc(e, *text); } \
	void _ZN##name##D1Ev(std_error *e) { free(e->what); } \
	void _ZN##name##D2Ev(std_error *e) { free(e->what); }

// The others are copied by code of the headers that copies these.
#define BASE_ERROR(name) \
	const char *_ZNK##name##4whatEv(const std_error *e) { return e->what; } \
	TEXT_ERROR(name, _ZTISt9exception, _ZNK##name##4whatEv) \
	void _ZN##name##C1ERKS_(std_error *e, const std_error *from) { _ZN##name##C1EPKc(e, from->what); } \
	void _ZN##name##C2ERKS_(std_error *e, const std_error *from) { _ZN##name##C1EPKc(e, from->what); } \
	void _ZN##name##C1EOS_(std_error *e, const std_error *from) { _ZN##name##C1EPKc(e, from->what); } \
	void _ZN##name##C2EOS_(std_error *e, const std_error *from) { _ZN##name##C1EPKc(e, from->what); } \
	std_error *_ZN##name##aSERKS_(std_error *e, const std_error *from) \
	{ \
		if (e != from) { \
			free(e->what); \
			set_text(e, from->what); \
		} \
		return e; \
	}

#define PLAIN_ERROR(name, base, text) \
	const char *_ZNK##name##4whatEv(const std_error *e) { return text; } \
	ERROR_TYPE(name, base, _ZNK##name##4whatEv) \
	void _ZN##name##D1Ev(std_error *e) {} \
	void _ZN##name##D2Ev(std_error *e) {}

const char _ZTSSt9exception[] = "St9exception";
const void *const _ZTISt9exception[2] = {&_ZTVN10__cxxabiv117__class_type_infoE[2], _ZTSSt9exception};
void _ZNSt9exceptionD2Ev(void *e) {}
void _ZNSt9exceptionD1Ev(void *e) {}
void _ZNSt9exceptionD0Ev(void *e) { _ZdlPv(e); }
const char *_ZNKSt9exception4whatEv(const void *e) { return "std::exception"; }
words _ZTVSt9exception = {NULL, _ZTISt9exception, _ZNSt9exceptionD1Ev, _ZNSt9exceptionD0Ev, _ZNKSt9exception4whatEv};

BASE_ERROR(St11logic_error)
BASE_ERROR(St13runtime_error)
#define LOGIC_ERROR(name) TEXT_ERROR(name, _ZTISt11logic_error, _ZNKSt11logic_error4whatEv)
#define RUNTIME_ERROR(name) TEXT_ERROR(name, _ZTISt13runtime_error, _ZNKSt13runtime_error4whatEv)
LOGIC_ERROR(St12domain_error)
LOGIC_ERROR(St16invalid_argument)
LOGIC_ERROR(St12length_error)
LOGIC_ERROR(St12out_of_range)
LOGIC_ERROR(St12future_error)
RUNTIME_ERROR(St11range_error)
RUNTIME_ERROR(St14overflow_error)
RUNTIME_ERROR(St15underflow_error)
RUNTIME_ERROR(St12system_error)
const char *_ZNKSt12future_error4whatEv(const std_error *e) { return e->what; }
PLAIN_ERROR(St9bad_alloc, _ZTISt9exception, "std::bad_alloc")
PLAIN_ERROR(St20bad_array_new_length, _ZTISt9bad_alloc, "std::bad_array_new_length")
PLAIN_ERROR(St8bad_cast, _ZTISt9exception, "std::bad_cast")
PLAIN_ERROR(St10bad_typeid, _ZTISt9exception, "std::bad_typeid")
PLAIN_ERROR(St13bad_exception, _ZTISt9exception, "std::bad_exception")
PLAIN_ERROR(St17bad_function_call, _ZTISt9exception, "bad_function_call")
PLAIN_ERROR(St12bad_weak_ptr, _ZTISt9exception, "bad_weak_ptr")

// What the headers throw through a function. In a program that catches nothing, the run ends with the exception's name.
#define THROW(symbol, params, name, type, construct) \
	_Noreturn void symbol params \
	{ \
		if (!__ravel_unwinds()) \
			__ravel_error("call", name " is thrown"); \
		std_error *e = __cxa_allocate_exception(32); \
		construct; \
		__cxa_throw(e, (const type_info *)_ZTI##type, (void (*)(void *))_ZN##type##D1Ev); \
	}
#define THROW_PLAIN(symbol, name, type) THROW(symbol, (void), name, type, e->vtable = &_ZTV##type[2])
#define THROW_TEXT(symbol, name, type) THROW(symbol, (const char *what), name, type, _ZN##type##C1EPKc(e, what))
THROW_PLAIN(_ZSt17__throw_bad_allocv, "std::bad_alloc", St9bad_alloc)
THROW_PLAIN(_ZSt28__throw_bad_array_new_lengthv, "std::bad_array_new_length", St20bad_array_new_length)
THROW_PLAIN(__cxa_throw_bad_array_new_length, "std::bad_array_new_length", St20bad_array_new_length)
THROW_PLAIN(_ZSt16__throw_bad_castv, "std::bad_cast", St8bad_cast)
THROW_PLAIN(__cxa_bad_cast, "std::bad_cast", St8bad_cast)
THROW_PLAIN(_ZSt18__throw_bad_typeidv, "std::bad_typeid", St10bad_typeid)
THROW_PLAIN(__cxa_bad_typeid, "std::bad_typeid", St10bad_typeid)
THROW_PLAIN(_ZSt21__throw_bad_exceptionv, "std::bad_exception", St13bad_exception)
THROW_PLAIN(_ZSt25__throw_bad_function_callv, "std::bad_function_call", St17bad_function_call)
THROW_TEXT(_ZSt19__throw_logic_errorPKc, "std::logic_error", St11logic_error)
THROW_TEXT(_ZSt20__throw_domain_errorPKc, "std::domain_error", St12domain_error)
THROW_TEXT(_ZSt24__throw_invalid_argumentPKc, "std::invalid_argument", St16invalid_argument)
THROW_TEXT(_ZSt20__throw_length_errorPKc, "std::length_error", St12length_error)
THROW_TEXT(_ZSt20__throw_out_of_rangePKc, "std::out_of_range", St12out_of_range)
THROW(_ZSt24__throw_out_of_range_fmtPKcz, (const char *what, ...), "std::out_of_range", St12out_of_range, _ZNSt12out_of_rangeC1EPKc(e, what))
THROW_TEXT(_ZSt21__throw_runtime_errorPKc, "std::runtime_error", St13runtime_error)
THROW_TEXT(_ZSt19__throw_range_errorPKc, "std::range_error", St11range_error)
THROW_TEXT(_ZSt22__throw_overflow_errorPKc, "std::overflow_error", St14overflow_error)
THROW_TEXT(_ZSt23__throw_underflow_errorPKc, "std::underflow_error", St15underflow_error)
THROW_TEXT(_ZSt19__throw_ios_failurePKc, "std::ios_base::failure", St12system_error)

// Error codes: a number and its category, which is behind the text of the exceptions that have one.
typedef struct {
	char *start;
	size_t length;
	char text[16];
} std_string;

static void category_message(std_string *result, const void *self, int code)
{
	result->start = result->text;
	result->length = 0;
	result->text[0] = 0;
}

static void category_end(void *self) {}

// An error_code, or an error_condition.
typedef struct {
	int value;
	const void *const *category;
} error_code;

static const void *const generic_category, *const system_category, *const future_category;
static const char *generic_name(const void *self) { return "generic"; }
static const char *system_name(const void *self) { return "system"; }
static const char *future_name(const void *self) { return "future"; }
static error_code own_condition(const void *const *self, int code) { return (error_code){code, self}; }
static error_code generic_condition(const void *const *self, int code) { return (error_code){code, &generic_category}; }
static _Bool has_condition(const void *const *self, int code, const error_code *condition)
{
	const void *const *category = self == &system_category ? &generic_category : self;
	return condition->category == category && condition->value == code;
}
static _Bool is_code(const void *const *self, const error_code *code, int value) { return code->category == self && code->value == value; }

#define CATEGORY(name, condition) \
	{category_end, category_end, name, category_message, category_message, condition, has_condition, is_code}
static words generic_table = CATEGORY(generic_name, own_condition), system_table = CATEGORY(system_name, generic_condition),
      future_table = CATEGORY(future_name, own_condition);
static const void *const generic_category = generic_table, *const system_category = system_table, *const future_category = future_table;
error_code _ZNKSt10error_code23default_error_conditionEv(const error_code *c)
{
	error_code (*condition)(const void *const *, int) = (error_code (*)(const void *const *, int))(*(words *)*c->category)[5]; // virtual
	return condition(c->category, c->value);
}
const void *_ZNSt3_V216generic_categoryEv(void) { return &generic_category; }
const void *_ZNSt3_V215system_categoryEv(void) { return &system_category; }
const void *_ZSt15future_categoryv(void) { return &future_category; }

typedef struct {
	std_error it;
	int code;
	const void *category;
} code_error;

static void set_code(std_error *e, int code, const void *category)
{
	((code_error *)e)->code = code;
	((code_error *)e)->category = category;
}

THROW(_ZSt20__throw_future_errori, (int code), "std::future_error", St12future_error, _ZNSt12future_errorC1EPKc(e, "std::future_error");
      set_code(e, code, &future_category))

static const char *system_text(int code)
{
	switch (code) {
	case EPERM:
		return "std::system_error is thrown: operation not permitted";
	case EINVAL:
		return "std::system_error is thrown: invalid argument";
	case EDEADLK:
		return "std::system_error is thrown: resource deadlock would occur";
	}
	return "std::system_error is thrown";
}

_Noreturn void _ZSt20__throw_system_errori(int code)
{
	if (!__ravel_unwinds())
		misuse(system_text(code));
	std_error *e = __cxa_allocate_exception(sizeof(code_error));
	_ZNSt12system_errorC1EPKc(e, system_text(code));
	set_code(e, code, &generic_category);
	__cxa_throw(e, (const type_info *)_ZTISt12system_error, (void (*)(void *))_ZNSt12system_errorD1Ev);
}

// std::future and std::promise: the base of their results.
typedef struct {
	const void *vtable;
	exception_ptr error;
} future_result;

void _ZNSt13__future_base12_Result_baseC2Ev(future_result *r) { r->error.object = NULL; }
void _ZNSt13__future_base12_Result_baseD2Ev(future_result *r) { RELEASE(&r->error); }
const char _ZTSNSt13__future_base12_Result_baseE[] = "NSt13__future_base12_Result_baseE";
const void *const _ZTINSt13__future_base12_Result_baseE[2] = {&_ZTVN10__cxxabiv117__class_type_infoE[2], _ZTSNSt13__future_base12_Result_baseE};

// std::nested_exception keeps the exception during which it was made.
typedef struct {
	const void *vtable;
	exception_ptr nested;
} nested_exception;

void _ZNSt16nested_exceptionD2Ev(nested_exception *e) { RELEASE(&e->nested); }
void _ZNSt16nested_exceptionD1Ev(nested_exception *e) { RELEASE(&e->nested); }
void _ZNSt16nested_exceptionD0Ev(nested_exception *e)
{
	RELEASE(&e->nested);
	_ZdlPv(e);
}
const char _ZTSSt16nested_exception[] = "St16nested_exception";
const void *const _ZTISt16nested_exception[2] = {&_ZTVN10__cxxabiv117__class_type_infoE[2], _ZTSSt16nested_exception};
words _ZTVSt16nested_exception = {NULL, _ZTISt16nested_exception, _ZNSt16nested_exceptionD1Ev, _ZNSt16nested_exceptionD0Ev};
