// std::cout and its kin: what is written is thrown away. String streams keep it.
#include "rt.h"

// Layouts of libstdc++.
#if __SIZEOF_POINTER__ == 8
enum { BEFORE_WIDEN = 56, BEFORE_FACET = 240, AFTER_FLAGS = 49, AFTER_FILL = 14 };
#else
enum { BEFORE_WIDEN = 28, BEFORE_FACET = 124, AFTER_FLAGS = 25, AFTER_FILL = 6 };
#endif

// Where std::endl is inlined, it looks for the stream's base (by an offset in the vtable) and there
// for the facet that widens characters.
static const struct {
	char base[BEFORE_WIDEN];
	char widen_ok;
	char widen[256];
	char rest[263];
} facet = {.widen_ok = 1, .widen = {['\n'] = '\n', [' '] = ' '}};

static const size_t vtable[4] = {sizeof(void *)};

typedef struct {
	const size_t *vtable;
	char base[BEFORE_FACET];
	const void *facet;
	char rest[16];
} stream;

#define STREAM {.vtable = &vtable[3], .facet = &facet}
stream _ZSt4cout = STREAM, _ZSt4cerr = STREAM, _ZSt4clog = STREAM, _ZSt3cin = STREAM;

void _ZNKSt5ctypeIcE13_M_widen_initEv(void *self) {}
void _ZNSt9basic_iosIcSt11char_traitsIcEE5clearESt12_Ios_Iostate(void *self, u32 state) {}

void _ZNSt8ios_base4InitC1Ev(void *init) {}
void _ZNSt8ios_base4InitD1Ev(void *init) {}

typedef struct {
	char *start;
	size_t length;
	char text[16];
} std_text;

// std::ostringstream and std::stringstream keep what is written, where the headers expect it. The vtable tells them from the other streams.
typedef struct {
	const size_t *vtable;
	char *own; // text, unless the headers put it elsewhere
	char *in[3];
	char *text, *next, *end;
	void *locale;
	size_t mode;
	std_text initial; // what there is as long as nothing was written
	struct {
		const void *vtable;
		long precision, width;
		u32 flags;
		u32 unused[AFTER_FLAGS];
		char fill, filled, more[AFTER_FILL];
		const void *facet;
	} ios;
} text_stream;

enum { BOOLALPHA = 1, DEC = 2, FIXED = 4, HEX = 8, LEFT_SIDE = 32, OCT = 64, SCIENTIFIC = 256, SHOWBASE = 512, SHOWPOS = 2048, UPPERCASE = 16384 };

static const size_t text_vtable[4] = {__builtin_offsetof(text_stream, ios)};
#define IS_TEXT(os) ((os)->vtable == &text_vtable[3])

int snprintf(char *s, size_t size, const char *f, ...);

static void begin_text(text_stream *s)
{
	s->vtable = &text_vtable[3];
	s->mode = 24; // in and out
	s->own = s->in[0] = s->in[1] = s->in[2] = s->text = s->next = s->end = NULL;
	s->initial.start = s->initial.text;
	s->initial.length = 0;
	s->initial.text[0] = 0;
	s->ios.unused[1] = 0; // the state
	s->ios.precision = 6;
	s->ios.width = 0;
	s->ios.flags = DEC;
	s->ios.fill = ' ';
	s->ios.filled = 1;
	s->ios.facet = &facet;
}

static void append(text_stream *s, const char *text, size_t n)
{
	if (s->next + n > s->end || !s->text) {
		size_t length = s->next - s->text, room = 2 * (length + n) + 16;
		char *more = malloc(room);
		for (size_t i = 0; i < length; i++)
			more[i] = s->text[i];
		free(s->own);
		s->own = s->text = more;
		s->next = more + length;
		s->end = more + room;
	}
	for (size_t i = 0; i < n; i++)
		*s->next++ = text[i];
}

// put_text writes with the width that was asked for, once.
static void *put_text(text_stream *s, const char *text, size_t n)
{
	if (!IS_TEXT(s))
		return s;
	long missing = s->ios.width - (long)n;
	s->ios.width = 0;
	if (s->ios.flags & LEFT_SIDE)
		append(s, text, n);
	for (; missing > 0; missing--)
		append(s, &s->ios.fill, 1);
	if (!(s->ios.flags & LEFT_SIDE))
		append(s, text, n);
	return s;
}

static void *put_integer(text_stream *s, u64 v, int is_signed)
{
	if (!IS_TEXT(s))
		return s;
	u32 flags = s->ios.flags;
	char text[32];
	int n;
	if (flags & SHOWBASE)
		__ravel_error("unsupported", "std::showbase is not modelled");
	if (flags & HEX)
		n = snprintf(text, sizeof text, flags & UPPERCASE ? "%llX" : "%llx", v);
	else if (flags & OCT)
		n = snprintf(text, sizeof text, "%llo", v);
	else if (is_signed)
		n = snprintf(text, sizeof text, flags & SHOWPOS ? "%+lld" : "%lld", v);
	else
		n = snprintf(text, sizeof text, "%llu", v);
	return put_text(s, text, n);
}

// put_small is for types of fewer bits: a negative number in another base has no more digits than its type.
static void *put_small(text_stream *s, long v, int bits)
{
	return put_integer(s, IS_TEXT(s) && s->ios.flags & (HEX | OCT) ? v & ((1ull << bits) - 1) : (u64)v, 1);
}

static void *put_number(text_stream *s, double v)
{
	if (!IS_TEXT(s))
		return s;
	char text[64];
	int precision = s->ios.precision, n;
	if (s->ios.flags & FIXED) {
		n = snprintf(text, sizeof text, "%.*f", precision, v);
		return put_text(s, text, n);
	}
	double size = v < 0 ? -v : v;
	if (s->ios.flags & SCIENTIFIC || (size != 0 && size < 1e-4) || !(size < 1e6) || precision != 6)
		__ravel_error("unsupported", "a number with an exponent, or with another precision than 6 but not std::fixed, is written to a string stream");
	precision = 5;
	for (double power = 10; size >= power; power *= 10)
		precision--;
	for (double power = 1; size != 0 && size < power; power /= 10)
		precision++;
	n = snprintf(text, sizeof text, "%.*f", precision, v);
	if (precision) {
		while (text[n - 1] == '0')
			n--;
		if (text[n - 1] == '.')
			n--;
	}
	return put_text(s, text, n);
}

static void *put_string(text_stream *s, const std_text *t) { return put_text(s, t->start, t->length); }
static void *put_chars(text_stream *s, const char *t) { return IS_TEXT(s) ? put_text(s, t, strlen(t)) : s; }
static void *put_char(text_stream *s, char c) { return put_text(s, &c, 1); }
static void *put_bool(text_stream *s, _Bool v)
{
	return IS_TEXT(s) && s->ios.flags & BOOLALPHA ? put_chars(s, v ? "true" : "false") : put_integer(s, v, 0);
}

void *_ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_(text_stream *os)
{
	if (IS_TEXT(os))
		append(os, "\n", 1);
	return os;
}

void *_ZNSo5flushEv(void *os) { return os; }
void *_ZSt5flushIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_(void *os) { return os; }

#define PRINT(symbol, type, put) \
	void *symbol(text_stream *os, type v) { return put; }
PRINT(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc, const char *, put_chars(os, v))
PRINT(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_c, char, put_char(os, v))
PRINT(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_a, char, put_char(os, v))
PRINT(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_h, char, put_char(os, v))
PRINT(_ZStlsIcSt11char_traitsIcESaIcEERSt13basic_ostreamIT_T0_ES7_RKNSt7__cxx1112basic_stringIS4_S5_T1_EE, const void *, put_string(os, v))
void *_ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l(text_stream *os, const char *s, long n) { return put_text(os, s, n); }
PRINT(_ZNSo9_M_insertIbEERSoT_, _Bool, put_bool(os, v))
PRINT(_ZNSo9_M_insertIlEERSoT_, long, sizeof v == 4 ? put_small(os, v, 32) : put_integer(os, v, 1))
PRINT(_ZNSo9_M_insertImEERSoT_, size_t, put_integer(os, v, 0))
PRINT(_ZNSo9_M_insertIxEERSoT_, i64, put_integer(os, v, 1))
PRINT(_ZNSo9_M_insertIyEERSoT_, u64, put_integer(os, v, 0))
PRINT(_ZNSo9_M_insertIdEERSoT_, double, put_number(os, v))
PRINT(_ZNSolsEi, int, put_small(os, v, 32))
PRINT(_ZNSolsEj, u32, put_integer(os, v, 0))
PRINT(_ZNSolsEs, short, put_small(os, v, 16))
PRINT(_ZNSolsEt, u16, put_integer(os, v, 0))
PRINT(_ZNSolsEl, long, sizeof v == 4 ? put_small(os, v, 32) : put_integer(os, v, 1))
PRINT(_ZNSolsEm, size_t, put_integer(os, v, 0))
PRINT(_ZNSolsEx, i64, put_integer(os, v, 1))
PRINT(_ZNSolsEy, u64, put_integer(os, v, 0))
PRINT(_ZNSolsEb, _Bool, put_bool(os, v))
PRINT(_ZNSolsEf, float, put_number(os, v))
PRINT(_ZNSolsEd, double, put_number(os, v))
PRINT(_ZNSolsEe, double, put_number(os, v))
PRINT(_ZNSo3putEc, char, put_char(os, v))
void *_ZNSo5writeEPKcl(text_stream *os, const char *s, long n)
{
	if (IS_TEXT(os))
		append(os, s, n);
	return os;
}

// Addresses, and the numbers of threads, are written as numbers.
PRINT(_ZNSo9_M_insertIPKvEERSoT_, const void *, put_integer(os, (size_t)v, 0))
PRINT(_ZNSolsEPKv, const void *, put_integer(os, (size_t)v, 0))

// Manipulators. What they do to the format of std::cout makes no difference.
void *_ZNSolsEPFRSoS_E(text_stream *os, void *(*f)(text_stream *)) { return f(os); }

void *_ZNSolsEPFRSt8ios_baseS0_E(text_stream *os, void *(*f)(void *))
{
	if (IS_TEXT(os))
		f(&os->ios);
	return os;
}

void *_ZNSolsEPFRSt9basic_iosIcSt11char_traitsIcEES3_E(text_stream *os, void *(*f)(void *))
{
	if (IS_TEXT(os))
		f(&os->ios);
	return os;
}

#define FORMAT_BY(symbol, type, change) \
	void *symbol(text_stream *os, type v) \
	{ \
		if (IS_TEXT(os)) \
			change; \
		return os; \
	}
FORMAT_BY(_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St5_Setw, int, os->ios.width = v)
FORMAT_BY(_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St13_Setprecision, int, os->ios.precision = v)
#if __SIZEOF_POINTER__ == 8
FORMAT_BY(_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St8_SetfillIS3_E, char, os->ios.fill = v)
#else // a struct of one char is passed in memory
FORMAT_BY(_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St8_SetfillIS3_E, const char *, os->ios.fill = *v)
#endif
FORMAT_BY(_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St8_Setbase, int,
	  os->ios.flags = (os->ios.flags & ~(DEC | HEX | OCT)) | (v == 16 ? HEX : v == 8 ? OCT : DEC))
_Bool _ZNSt8ios_base15sync_with_stdioEb(_Bool v) { return 1; }

// The constructors, destructors and contents of the two classes. A std::stringstream has its output stream behind two words.
#define OUTPUT(s) ((text_stream *)((size_t *)(s) + 2))

static void end_text(text_stream *s) { free(s->own); }

static void get_text(std_text *result, const text_stream *s)
{
	size_t n = s->next - s->text;
	result->start = n < sizeof result->text ? result->text : _Znwm(n + 1);
	result->length = n;
	for (size_t i = 0; i < n; i++)
		result->start[i] = s->text[i];
	result->start[n] = 0;
	if (n >= sizeof result->text)
		*(size_t *)result->text = n; // its capacity
}

static void set_text_to(text_stream *s, const std_text *t)
{
	s->next = s->text;
	append(s, t->start, t->length);
}

static void begin_input(size_t *s)
{
	static const size_t input_vtable[4] = {2 * sizeof(void *) + __builtin_offsetof(text_stream, ios)};
	s[0] = (size_t)&input_vtable[3];
	s[1] = 0;
	begin_text(OUTPUT(s));
}

#define OSS(name) _ZNSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEE##name
#define SS(name) _ZNSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEE##name
void OSS(C1Ev)(void *s) { begin_text(s); }
void OSS(C1ESt13_Ios_Openmode)(void *s, u32 mode) { begin_text(s); }
void OSS(D1Ev)(void *s) { end_text(s); }
void OSS(3strERKNS_12basic_stringIcS2_S3_EE)(void *s, const std_text *t) { set_text_to(s, t); }
#define GET_TEXT(this, class, of) \
	void _ZN##this##St7__cxx11##class##IcSt11char_traitsIcESaIcEE3strEv(std_text *result, const void *s) { get_text(result, of); }
GET_TEXT(K, 19basic_ostringstream, s)
GET_TEXT(KR, 19basic_ostringstream, s)
GET_TEXT(O, 19basic_ostringstream, s)
GET_TEXT(K, 18basic_stringstream, OUTPUT(s))
GET_TEXT(KR, 18basic_stringstream, OUTPUT(s))
GET_TEXT(O, 18basic_stringstream, OUTPUT(s))
void OSS(3strEONS_12basic_stringIcS2_S3_EE)(void *s, const std_text *t) { set_text_to(s, t); }
void SS(3strEONS_12basic_stringIcS2_S3_EE)(void *s, const std_text *t) { set_text_to(OUTPUT(s), t); }
void SS(C1Ev)(void *s) { begin_input(s); }
void SS(C1ESt13_Ios_Openmode)(void *s, u32 mode) { begin_input(s); }
void SS(D1Ev)(void *s) { end_text(OUTPUT(s)); }
void SS(3strERKNS_12basic_stringIcS2_S3_EE)(void *s, const std_text *t) { set_text_to(OUTPUT(s), t); }
