// scanf and its kin. sscanf reads its string as glibc does. The standard input, which is the only file there is, may hold anything: what
// a function reads from it is explored as __VERIFIER_nondet_int() is, and so is whether it ends or does not match.
#include "rt.h"

typedef __builtin_va_list va_list;
#define va_start __builtin_va_start
// A va_list that is a parameter: the address of one, on machines where it is an array.
#define LIST(args) (va_list *)(sizeof(va_list) > sizeof(void *) ? (void *)args : (void *)&args)
#define va_arg __builtin_va_arg
#define va_end __builtin_va_end

enum { END = -1, ITEM = 128 };

u64 __ravel_integer(const char *s, char **end, int base, int binary, u64 limit, u64 low);
double strtod(const char *s, char **end);
float strtof(const char *s, char **end);
int isspace(int c);
int isdigit(int c);
int isxdigit(int c);

// A directive is a conversion of a format: its letter, the size of what it stores, how many characters the format has of it, how many it reads
// at most, and whether it stores nothing.
typedef u64 directive;
#define LETTER_OF(d) ((u8)(d))
#define BYTES_OF(d) ((u8)((d) >> 8))
#define LENGTH_OF(d) ((d) >> 16 & 0x7fff)
#define IS_SILENT(d) ((d) >> 31 & 1)
#define WIDTH_OF(d) ((u32)((d) >> 32))

// parse_directive reads the one whose % is at f.
static directive parse_directive(const char *f)
{
	const char *p = f + 1;
	u64 silent = at(p) == '*', width = 0;
	p += silent;
	for (char c; isdigit(c = at(p)); p++)
		width = width * 10 + c - '0';
	int bytes = sizeof(int), longs = 0;
	for (char c; (c = at(p)) == 'h' || c == 'l' || c == 'z' || c == 't' || c == 'j' || c == 'q' || c == 'L'; p++)
		bytes = c == 'h' ? bytes / 2 : c == 'l' ? (longs++ ? sizeof(long long) : sizeof(long)) : c == 'z' || c == 't' ? sizeof(size_t) : sizeof(long long);
	if (width > 0xffffff)
		__ravel_error("unsupported", "scanf with a width of more than 16,777,215 is not modelled");
	u8 letter = at(p);
	// The size that counts for floating-point numbers is whether there is an l.
	if (letter && (letter | 0x20) >= 'a' && (letter | 0x20) <= 'g' && (letter | 0x20) != 'b' && (letter | 0x20) != 'c' && (letter | 0x20) != 'd')
		bytes = longs || bytes == sizeof(long long) ? sizeof(double) : sizeof(float);
	else if ((letter == 'c' || letter == 's' || letter == '[') && longs)
		__ravel_error("unsupported", "wide characters are not modelled");
	return letter | (u64)bytes << 8 | (u64)(p + 1 - f) << 16 | silent << 31 | width << 32;
}

// in_set reports whether c is in the set of a format whose [ is at f; c may be the end of the string, which is in none.
static int in_set(const char *f, u8 c)
{
	f++;
	int not = at(f) == '^', found = 0;
	f += not;
	for (const char *first = f;; f++) {
		u8 x = at(f);
		if (!x || (x == ']' && f != first))
			break;
		if (x == '-' && f != first && at(f + 1) && at(f + 1) != ']') {
			found |= c >= (u8)at(f - 1) && c <= (u8)at(f + 1);
			continue;
		}
		found |= c == x;
	}
	return c && found != not;
}

// after_set returns where a set ends whose [ is at f.
static const char *after_set(const char *f)
{
	f += at(f + 1) == '^' ? 2 : 1;
	do
		if (!at(f++))
			__ravel_error("call", "a format of scanf has a [ without a ]");
	while (at(f) != ']');
	return f + 1;
}

static void assign(void *p, int bytes, u64 v)
{
	switch (bytes) {
	case 1:
		*(u8 *)p = v;
		break;
	case 2:
		*(u16 *)p = v;
		break;
	case 4:
		*(u32 *)p = v;
		break;
	default:
		*(unsigned long long *)p = v;
	}
}

INLINE int base_of(u8 letter)
{
	switch (letter) {
	case 'd':
	case 'u':
		return 10;
	case 'o':
		return 8;
	case 'x':
	case 'X':
	case 'p':
		return 16;
	}
	return 0; // i
}

// An item is the characters of a number.
typedef struct {
	char text[ITEM];
	int n;
} item;

static void add_to(item *it, char c)
{
	if (it->n + 1 == ITEM)
		__ravel_error("unsupported", "sscanf of a number of more than 127 characters is not modelled");
	it->text[it->n++] = c;
}

#define MORE(p) (width != 0 && at(p))
#define TAKE(p) (width--, add_to(it, at(p++)))

// whole_item collects a whole number at p, and returns where it ends; NULL if there is none. *base becomes what it is written in.
static const char *whole_item(const char *p, u32 width, int *base, int binary, item *it)
{
	if (MORE(p) && (at(p) == '-' || at(p) == '+'))
		TAKE(p);
	int sign = it->n, b = *base;
	if (MORE(p) && at(p) == '0') {
		TAKE(p);
		int x = at(p) | 0x20;
		if (MORE(p) && x == 'x' && (b == 0 || b == 16)) {
			b = 16;
			width--, p++;
		} else if (MORE(p) && binary && x == 'b' && (b == 0 || b == 2)) {
			b = 2;
			width--, p++;
		} else if (b == 0) {
			b = 8;
		}
	}
	if (b == 0)
		b = 10;
	while (MORE(p) && (b <= 10 ? at(p) >= '0' && at(p) < '0' + b : isxdigit(at(p))))
		TAKE(p);
	*base = b;
	return it->n == sign ? NULL : p;
}

// word_item collects the letters of the word.
static const char *word_item(const char *p, u32 width, const char *word, item *it)
{
	for (; at(word); word++) {
		if (!MORE(p) || (at(p) | 0x20) != at(word))
			return NULL;
		TAKE(p);
	}
	return p;
}

static const char *real_item(const char *p, u32 width, item *it)
{
	if (MORE(p) && (at(p) == '-' || at(p) == '+'))
		TAKE(p);
	int sign = it->n;
	if (MORE(p) && (at(p) | 0x20) == 'n')
		return word_item(p, width, "nan", it);
	if (MORE(p) && (at(p) | 0x20) == 'i') {
		p = word_item(p, width, "inf", it);
		width -= 3;
		return p && MORE(p) && (at(p) | 0x20) == 'i' ? word_item(p, width, "inity", it) : p;
	}
	int hex = 0, digits = 0, point = 0, exponent = 0;
	if (MORE(p) && at(p) == '0') {
		TAKE(p);
		digits = 1;
		if (width > 1 && (at(p) | 0x20) == 'x') { // glibc wants room for one digit more
			TAKE(p);
			hex = 1;
			digits = 0;
		}
	}
	for (; MORE(p); TAKE(p)) {
		char c = at(p), e = hex ? 'p' : 'e';
		if (isdigit(c) || (hex && !exponent && isxdigit(c)))
			digits = 1;
		else if (exponent && it->n == exponent && (c == '-' || c == '+'))
			;
		else if (digits && !exponent && (c | 0x20) == e)
			exponent = it->n + 1, point = 1;
		else if (c == '.' && !point)
			point = 1;
		else
			break;
	}
	return it->n == sign || (hex && it->n == sign + 2) ? NULL : p;
}

// number reads a number at p and stores it to it; NULL if there is none.
static const char *number_at(const char *p, directive d, int binary, void *to)
{
	item it = {{0}, 0};
	u32 width = WIDTH_OF(d) ? WIDTH_OF(d) : ~0u;
	u8 letter = LETTER_OF(d);
	char *end;
	switch (letter) {
	case 'd':
	case 'i':
	case 'u':
	case 'o':
	case 'x':
	case 'X':
	case 'p': {
		int base = base_of(letter);
		p = whole_item(p, width, &base, binary, &it);
		if (!p)
			return NULL;
		int bytes = letter == 'p' ? sizeof(void *) : BYTES_OF(d);
		u64 max = bytes == sizeof(long long) ? ~0ull >> 1 : ~0ul >> 1;
		int has_sign = letter == 'd' || letter == 'i';
		u64 v = __ravel_integer(it.text, NULL, base, 0, has_sign ? max : 2 * max + 1, has_sign ? max + 1 : 2 * max + 1);
		if (!IS_SILENT(d))
			assign(to, bytes, v);
		return p;
	}
	}
	p = real_item(p, width, &it);
	if (!p)
		return NULL;
	if (BYTES_OF(d) == sizeof(double)) {
		double v = strtod(it.text, &end);
		if (end != it.text && !IS_SILENT(d))
			*(double *)to = v;
	} else {
		float v = strtof(it.text, &end);
		if (end != it.text && !IS_SILENT(d))
			*(float *)to = v;
	}
	return end == it.text ? NULL : p;
}

// text_at reads a string, characters or what a set allows, and returns where it ends; f is where the letter is.
static const char *text_at(const char *p, directive d, const char *f, char *to)
{
	u8 letter = LETTER_OF(d);
	u32 width = WIDTH_OF(d) ? WIDTH_OF(d) : letter == 'c' ? 1 : ~0u;
	for (; MORE(p) && !(letter == 's' && isspace(at(p))) && !(letter == '[' && !in_set(f, at(p))); p++, width--)
		if (!IS_SILENT(d))
			*to++ = at(p);
	if (letter != 'c' && !IS_SILENT(d))
		*to = 0;
	return p;
}

static int scan_text(const char *s, const char *f, int binary, va_list *args)
{
	int n = 0;
	const char *p = s;
	for (char c; (c = at(f)); f++) {
		if (isspace(c)) {
			while (isspace(at(p)))
				p++;
			continue;
		}
		directive d = c == '%' ? parse_directive(f) : 0;
		u8 letter = LETTER_OF(d);
		if (c == '%')
			f += LENGTH_OF(d) - 1;
		if (letter && letter != 'c' && letter != '[' && letter != 'n')
			while (isspace(at(p)))
				p++;
		if (letter == 'n') {
			if (!IS_SILENT(d))
				assign(va_arg(*args, void *), BYTES_OF(d), p - s);
			continue;
		}
		if (!at(p))
			return n ? n : END;
		if (c != '%' || letter == '%') {
			if (at(p++) != c)
				return n;
			continue;
		}
		void *to = IS_SILENT(d) ? NULL : va_arg(*args, void *);
		switch (letter) {
		case '[':
			if (!in_set(f, at(p)))
				return n;
			p = text_at(p, d, f, to);
			f = after_set(f) - 1;
			break;
		case 'c':
		case 's':
			p = text_at(p, d, f, to);
			break;
		case 'd':
		case 'i':
		case 'u':
		case 'o':
		case 'x':
		case 'X':
		case 'p':
		case 'a':
		case 'A':
		case 'e':
		case 'E':
		case 'f':
		case 'F':
		case 'g':
		case 'G':
			p = number_at(p, d, binary, to);
			if (!p)
				return n;
			break;
		default:
			__ravel_error("unsupported", "scanf reads numbers, characters and strings only");
		}
		n += !IS_SILENT(d);
	}
	return n;
}

// The environment.
int __VERIFIER_nondet_int(void);
long __VERIFIER_nondet_long(void);
long long __VERIFIER_nondet_longlong(void);
short __VERIFIER_nondet_short(void);
char __VERIFIER_nondet_char(void);
float __VERIFIER_nondet_float(void);
double __VERIFIER_nondet_double(void);
char __ravel_input(void); // some character of the input

// Of texts that the environment may give, those of up to this many characters are tried.
enum { SHORT_TEXT = 2 };

static void any_text(char *to, u32 width, int ends)
{
	u32 most = width && width < SHORT_TEXT ? width : SHORT_TEXT, n = ends ? 1 + __ravel_choose(most) : width;
	for (u32 i = 0; i < n; i++) {
		char c = __ravel_input();
		__ravel_assume(!ends || !isspace(c));
		if (to)
			*to++ = c;
	}
	if (to && ends)
		*to = 0;
}

static void any_number(void *to, directive d)
{
	int bytes = LETTER_OF(d) == 'p' ? sizeof(void *) : BYTES_OF(d);
	if (base_of(LETTER_OF(d)) || LETTER_OF(d) == 'i') {
		switch (bytes) {
		case 1:
			*(char *)to = __VERIFIER_nondet_char();
			return;
		case 2:
			*(short *)to = __VERIFIER_nondet_short();
			return;
		case 4:
			*(int *)to = __VERIFIER_nondet_int();
			return;
		}
		*(long long *)to = __VERIFIER_nondet_longlong();
	} else if (bytes == sizeof(double)) {
		*(double *)to = __VERIFIER_nondet_double();
	} else {
		*(float *)to = __VERIFIER_nondet_float();
	}
}

static int scan_input(const char *f, va_list *args)
{
	enum { MATCHES, ENDS, DIFFERS };
	int n = 0;
	for (char c; (c = at(f)); f++) {
		if (isspace(c))
			continue;
		directive d = c == '%' ? parse_directive(f) : 0;
		u8 letter = LETTER_OF(d);
		if (c == '%')
			f += LENGTH_OF(d) - 1;
		if (letter == 'n') {
			if (!IS_SILENT(d))
				any_number(va_arg(*args, void *), d ^ 'n' ^ 'd');
			continue;
		}
		// Where something was converted before, the two kinds of failure are the same. Every character is one.
		u32 way = __ravel_choose(n || letter == 'c' || letter == 's' ? 2 : 3);
		if (way != MATCHES)
			return way == ENDS && !n ? END : n;
		if (c != '%' || letter == '%')
			continue;
		void *to = IS_SILENT(d) ? NULL : va_arg(*args, void *);
		switch (letter) {
		case '[':
			__ravel_error("unsupported", "scanf of a set of characters from the standard input is not modelled");
		case 'c':
			any_text(to, WIDTH_OF(d) ? WIDTH_OF(d) : 1, 0);
			break;
		case 's':
			any_text(to, WIDTH_OF(d), 1);
			break;
		case 'd':
		case 'i':
		case 'u':
		case 'o':
		case 'x':
		case 'X':
		case 'p':
		case 'a':
		case 'A':
		case 'e':
		case 'E':
		case 'f':
		case 'F':
		case 'g':
		case 'G':
			if (to)
				any_number(to, d);
			break;
		default:
			__ravel_error("unsupported", "scanf reads numbers, characters and strings only");
		}
		n += !IS_SILENT(d);
	}
	return n;
}

#define SCAN(call)                      \
	{                               \
		va_list args;           \
		va_start(args, f);      \
		int n = call;           \
		va_end(args);           \
		return n;               \
	}
#define SCANS(prefix, binary)                                                                                                         \
	int prefix##sscanf(const char *s, const char *f, ...) SCAN(scan_text(s, f, binary, &args))                                    \
	int prefix##scanf(const char *f, ...) SCAN(scan_input(f, &args))                                                              \
	int prefix##fscanf(void *file, const char *f, ...) SCAN(scan_input(f, &args))                                                 \
	int prefix##vsscanf(const char *s, const char *f, va_list args) { return scan_text(s, f, binary, LIST(args)); }          \
	int prefix##vscanf(const char *f, va_list args) { return scan_input(f, LIST(args)); }                                    \
	int prefix##vfscanf(void *file, const char *f, va_list args) { return scan_input(f, LIST(args)); }
SCANS(, 0)
SCANS(__isoc99_, 0)
SCANS(__isoc23_, 1)

// A line is at most as long as what is tried of texts, or ends before.
char *fgets(char *s, int size, void *file)
{
	if (size < 1)
		misuse("fgets without room for a character");
	int n = 0;
	if (size > 1 && !__ravel_choose(2))
		return NULL;
	while (n + 1 < size && n < SHORT_TEXT) {
		char c = __ravel_input();
		s[n++] = c;
		if (c == '\n')
			break;
	}
	s[n] = 0;
	return s;
}

ssize_t read(int fd, char *s, size_t size)
{
	if (fd != 0)
		__ravel_error("unsupported", "read() is modelled for the standard input only");
	size_t n = __ravel_choose(2 + (size < SHORT_TEXT ? size : SHORT_TEXT)); // the end, a signal, or some characters
	if (n == 1)
		errno = EINTR;
	if (n < 2)
		return -(ssize_t)n;
	for (size_t i = 0; i < n - 1; i++)
		s[i] = __ravel_input();
	return n - 1;
}
