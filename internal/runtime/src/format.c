// snprintf and its kin, and scanf.
#include "rt.h"

typedef __builtin_va_list va_list;
#define va_start __builtin_va_start
#define va_arg __builtin_va_arg
// A va_list that is a parameter: the address of one, on machines where it is an array.
#define LIST(args) (va_list *)(sizeof(va_list) > sizeof(void *) ? (void *)args : (void *)&args)
#define va_end __builtin_va_end

enum { LEFT = 1, ZERO = 2, PLUS = 4, SPACE = 8, ALT = 16, MAX_ARGS = 12 };

#define ARGS u64 a0, u64 a1, u64 a2, u64 a3, u64 a4, u64 a5, u64 a6, u64 a7, u64 a8, u64 a9, u64 a10, u64 a11
#define PASS a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11

static u64 argument(int i, ARGS)
{
	switch (i) {
	case 0: return a0;
	case 1: return a1;
	case 2: return a2;
	case 3: return a3;
	case 4: return a4;
	case 5: return a5;
	case 6: return a6;
	case 7: return a7;
	case 8: return a8;
	case 9: return a9;
	case 10: return a10;
	case 11: return a11;
	}
	__ravel_error("unsupported", "scanf with more than 12 arguments is not modelled");
}

// put stores one character of the result, if there is room for it.
INLINE size_t put(char *s, size_t size, size_t at, char c)
{
	if (at + 1 < size)
		s[at] = c;
	return at + 1;
}

static size_t fill(char *s, size_t size, size_t at, char c, int n)
{
	for (; n > 0; n--)
		at = put(s, size, at, c);
	return at;
}

// integer formats v and returns where the result ends.
static size_t integer(char *s, size_t size, size_t at, u64 v, u32 base, int upper, char sign, const char *prefix, int flags, int width, int precision)
{
	int digits = 0;
	u64 top = 1; // base to the power of digits - 1
	for (u64 r = v; r; r /= base) {
		if (digits++)
			top *= base;
	}
	int zeros = precision < 0 ? !digits : precision - digits;
	if (zeros < 0)
		zeros = 0;
	int length = digits + zeros + (sign != 0) + (prefix ? 2 : 0);
	if (flags & ZERO && !(flags & LEFT) && precision < 0 && width > length) {
		zeros += width - length;
		length = width;
	}
	if (!(flags & LEFT))
		at = fill(s, size, at, ' ', width - length);
	if (sign)
		at = put(s, size, at, sign);
	if (prefix) {
		at = put(s, size, at, '0');
		at = put(s, size, at, upper ? 'X' : 'x');
	}
	at = fill(s, size, at, '0', zeros);
	for (; digits; digits--, top /= base) {
		u32 d = v / top % base;
		at = put(s, size, at, d < 10 ? '0' + d : (upper ? 'A' : 'a') + d - 10);
	}
	if (flags & LEFT)
		at = fill(s, size, at, ' ', width - length);
	return at;
}

// decimal formats v with some digits behind the point: the whole part, and the rest as an integer.
static size_t decimal(char *s, size_t size, size_t at, double v, int flags, int width, int precision)
{
	char sign = v < 0 ? '-' : flags & PLUS ? '+' : flags & SPACE ? ' ' : 0;
	if (v < 0)
		v = -v;
	if (!(v < 1e15) || precision > 15)
		__ravel_error("unsupported", "snprintf formats numbers below 10^15 with up to 15 digits behind the point only");
	u64 unit = 1;
	for (int i = 0; i < precision; i++)
		unit *= 10;
	u64 whole = v;
	double rest = (v - whole) * unit;
	u64 digits = rest;
	if (rest - digits > 0.5 || (rest - digits == 0.5 && (precision ? digits : whole) % 2))
		digits++;
	if (digits >= unit) {
		digits -= unit;
		whole++;
	}
	int behind = precision ? precision + 1 : 0;
	size_t start = at;
	at = integer(s, size, at, whole, 10, 0, sign, NULL, flags & ~LEFT, flags & LEFT ? 0 : width - behind, -1);
	if (precision) {
		at = put(s, size, at, '.');
		at = integer(s, size, at, digits, 10, 0, 0, NULL, 0, 0, precision);
	}
	return flags & LEFT ? fill(s, size, at, ' ', width - (int)(at - start)) : at;
}

static int format(char *s, size_t size, const char *f, va_list *args)
{
	size_t at = 0;
	for (char c; (c = *f); f++) {
		if (c != '%') {
			at = put(s, size, at, c);
			continue;
		}
		int flags = 0, width = 0, precision = -1, bytes = 4;
		for (;; f++) {
			c = f[1];
			int flag = c == '-' ? LEFT : c == '0' ? ZERO : c == '+' ? PLUS : c == ' ' ? SPACE : c == '#' ? ALT : 0;
			if (!flag)
				break;
			flags |= flag;
		}
		if (c == '*') {
			width = va_arg(*args, int);
			if (width < 0) {
				flags |= LEFT;
				width = -width;
			}
			c = *++f, c = f[1];
		}
		for (; c >= '0' && c <= '9'; c = (++f)[1])
			width = width * 10 + c - '0';
		if (c == '.') {
			precision = 0;
			c = (++f)[1];
			if (c == '*') {
				precision = va_arg(*args, int);
				c = (++f)[1];
			}
			for (; c >= '0' && c <= '9'; c = (++f)[1])
				precision = precision * 10 + c - '0';
		}
		for (int longs = 0;; c = (++f)[1]) {
			if (c == 'h')
				bytes /= 2;
			else if (c == 'l')
				bytes = ++longs > 1 ? 8 : sizeof(long);
			else if (c == 'z' || c == 't')
				bytes = sizeof(size_t);
			else if (c == 'j' || c == 'L' || c == 'q')
				bytes = 8;
			else
				break;
		}
		f++;
		if (c == 'f' || c == 'F') {
			at = decimal(s, size, at, va_arg(*args, double), flags, width, precision < 0 ? 6 : precision);
			continue;
		}
		u64 v = 0;
		if (c == 's' || c == 'p')
			v = (size_t)va_arg(*args, void *);
		else if (bytes == 8)
			v = va_arg(*args, u64);
		else if (c != '%')
			v = va_arg(*args, u32);
		int bits = 64 - 8 * bytes;
		switch (c) {
		case '%':
			at = put(s, size, at, '%');
			break;
		case 'c':
			if (!(flags & LEFT))
				at = fill(s, size, at, ' ', width - 1);
			at = put(s, size, at, v);
			if (flags & LEFT)
				at = fill(s, size, at, ' ', width - 1);
			break;
		case 's': {
			const char *t = v ? (const char *)v : "(null)";
			size_t n = 0;
			while (n < (size_t)precision && t[n])
				n++;
			if (!(flags & LEFT))
				at = fill(s, size, at, ' ', width - (int)n);
			for (size_t i = 0; i < n; i++)
				at = put(s, size, at, t[i]);
			if (flags & LEFT)
				at = fill(s, size, at, ' ', width - (int)n);
			break;
		}
		case 'd':
		case 'i': {
			i64 d = (i64)(v << bits) >> bits;
			char sign = d < 0 ? '-' : flags & PLUS ? '+' : flags & SPACE ? ' ' : 0;
			at = integer(s, size, at, d < 0 ? -(u64)d : (u64)d, 10, 0, sign, NULL, flags, width, precision);
			break;
		}
		case 'u':
			at = integer(s, size, at, v << bits >> bits, 10, 0, 0, NULL, flags, width, precision);
			break;
		case 'o':
			at = integer(s, size, at, v << bits >> bits, 8, 0, 0, NULL, flags, width, precision);
			break;
		case 'x':
		case 'X':
			v = v << bits >> bits;
			at = integer(s, size, at, v, 16, c == 'X', 0, flags & ALT && v ? "0x" : NULL, flags, width, precision);
			break;
		case 'p':
			at = integer(s, size, at, v, 16, 0, 0, "0x", flags, width, precision);
			break;
		default:
			__ravel_error("unsupported", "snprintf formats integers, numbers by %f, characters, strings and pointers only");
		}
	}
	if (size)
		s[at < size ? at : size - 1] = 0;
	return at;
}

int vsnprintf(char *s, size_t size, const char *f, va_list args) { return format(s, size, f, LIST(args)); }
int vsprintf(char *s, const char *f, va_list args) { return format(s, -1ul, f, LIST(args)); }
int __vsnprintf_chk(char *s, size_t size, int flag, size_t room, const char *f, va_list args) { return format(s, size, f, LIST(args)); }
int __vsprintf_chk(char *s, int flag, size_t room, const char *f, va_list args) { return format(s, -1ul, f, LIST(args)); }

#define FORMAT(last, s, size) \
	va_list args; \
	va_start(args, last); \
	int n = format(s, size, f, &args); \
	va_end(args); \
	return n
int snprintf(char *s, size_t size, const char *f, ...) { FORMAT(f, s, size); }
int sprintf(char *s, const char *f, ...) { FORMAT(f, s, -1ul); }
int __snprintf_chk(char *s, size_t size, int flag, size_t room, const char *f, ...) { FORMAT(f, s, size); }
int __sprintf_chk(char *s, int flag, size_t room, const char *f, ...) { FORMAT(f, s, -1ul); }

// scanf finds whatever the environment may have written.
int __VERIFIER_nondet_int(void);
long __VERIFIER_nondet_long(void);
short __VERIFIER_nondet_short(void);
char __VERIFIER_nondet_char(void);
float __VERIFIER_nondet_float(void);
double __VERIFIER_nondet_double(void);

static int scan(const char *f, ARGS)
{
	int n = 0;
	for (char c; (c = *f); f++) {
		if (c != '%')
			continue;
		int size = 0; // h: less than 0, l: more
		for (c = *++f; c == 'h' || c == 'l' || c == 'z' || c == 'j' || c == 't' || c == 'q'; c = *++f)
			size += c == 'h' ? -1 : 1;
		if (c == '%')
			continue;
		void *p = (void *)argument(n++, PASS);
		switch (c) {
		case 'c':
			*(char *)p = __VERIFIER_nondet_char();
			break;
		case 'd':
		case 'i':
		case 'u':
		case 'x':
		case 'X':
		case 'o':
			if (size > 0)
				*(long *)p = __VERIFIER_nondet_long();
			else if (size == 0)
				*(int *)p = __VERIFIER_nondet_int();
			else if (size == -1)
				*(short *)p = __VERIFIER_nondet_short();
			else
				*(char *)p = __VERIFIER_nondet_char();
			break;
		case 'f':
		case 'e':
		case 'g':
			if (size > 0)
				*(double *)p = __VERIFIER_nondet_double();
			else
				*(float *)p = __VERIFIER_nondet_float();
			break;
		default:
			__ravel_error("unsupported", "scanf reads numbers and characters only");
		}
	}
	return n;
}

int scanf(const char *f, ARGS) { return scan(f, PASS); }
int __isoc99_scanf(const char *f, ARGS) { return scan(f, PASS); }
int __isoc23_scanf(const char *f, ARGS) { return scan(f, PASS); }
