// printf and its kin. What is printed is thrown away: only the number of characters matters. Numbers are formatted by the machine.
#include "rt.h"

typedef __builtin_va_list va_list;
#define va_start __builtin_va_start
// A va_list that is a parameter: the address of one, on machines where it is an array.
#define LIST(args) (va_list *)(sizeof(va_list) > sizeof(void *) ? (void *)args : (void *)&args)
#define va_arg __builtin_va_arg
#define va_copy __builtin_va_copy
#define va_end __builtin_va_end

// The flags of a conversion, as __ravel_format has them.
enum { LEFT = 1, ZERO = 2, PLUS = 4, SPACE = 8, ALT = 16 };

enum { UNLIMITED = -1ul / 2 };

// put stores one character of the result, if there is room for it.
INLINE size_t put(char *s, size_t size, size_t to, char c)
{
	if (to + 1 < size)
		s[to] = c;
	return to + 1;
}

static size_t fill(char *s, size_t size, size_t to, char c, int n)
{
	for (; n > 0; n--)
		to = put(s, size, to, c);
	return to;
}

static size_t number(char *s, size_t size, size_t to, u64 v, u64 spec)
{
	size_t n = __ravel_format(v, spec, ~0ull);
	if (to + 1 >= size)
		return to + n;
	u64 word = 0;
	for (size_t i = 0; i < n; i++, word >>= 8) {
		if (i % 8 == 0)
			word = __ravel_format(v, spec, i / 8);
		to = put(s, size, to, word);
	}
	return to;
}

static size_t string(char *s, size_t size, size_t to, const char *t, int flags, int width, int precision)
{
	if (!t)
		t = precision < 0 || precision >= 6 ? "(null)" : "";
	size_t n = 0;
	if (width > 0 && !(flags & LEFT)) { // how much to fill is known before the first character
		while (n < (size_t)precision && at(t + n))
			n++;
		to = fill(s, size, to, ' ', width - (int)n);
	}
	size_t start = to;
	for (n = 0; n < (size_t)precision; n++) {
		char c = at(t + n);
		if (!c)
			break;
		to = put(s, size, to, c);
	}
	return flags & LEFT ? fill(s, size, to, ' ', width - (int)(to - start)) : to;
}

static size_t character(char *s, size_t size, size_t to, char c, int flags, int width)
{
	if (!(flags & LEFT))
		to = fill(s, size, to, ' ', width - 1);
	to = put(s, size, to, c);
	return flags & LEFT ? fill(s, size, to, ' ', width - 1) : to;
}

static void count(void *p, int bytes, size_t n)
{
	switch (bytes) {
	case 1:
		*(u8 *)p = n;
		break;
	case 2:
		*(u16 *)p = n;
		break;
	case 4:
		*(u32 *)p = n;
		break;
	default:
		*(u64 *)p = n;
	}
}

static int format(char *s, size_t size, const char *f, va_list *args)
{
	size_t to = 0;
	for (char c; (c = at(f)); f++) {
		if (c != '%') {
			to = put(s, size, to, c);
			continue;
		}
		int flags = 0, width = 0, precision = -1, bytes = sizeof(int), longs = 0;
		for (;;) {
			c = at(++f);
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
			c = at(++f);
		}
		for (; c >= '0' && c <= '9'; c = at(++f))
			width = width * 10 + c - '0';
		if (c == '.') {
			precision = 0;
			c = at(++f);
			if (c == '*') {
				precision = va_arg(*args, int);
				if (precision < 0)
					precision = -1;
				c = at(++f);
			}
			for (; c >= '0' && c <= '9'; c = at(++f))
				precision = precision * 10 + c - '0';
		}
		for (;; c = at(++f)) {
			if (c == 'h')
				bytes /= 2;
			else if (c == 'l')
				bytes = longs++ ? sizeof(long long) : sizeof(long);
			else if (c == 'z' || c == 't')
				bytes = sizeof(size_t);
			else if (c == 'j' || c == 'q' || c == 'L')
				bytes = sizeof(long long);
			else
				break;
		}
		if (width < 0 || width > 0xffff || precision >= 0xffff)
			__ravel_error("unsupported", "printf with a width or a precision of more than 65,534 is not modelled");
		u64 spec = (u8)c | (u64)flags << 8 | (u64)width << 16 | (u64)(precision + 1) << 32, v;
		int unused = 64 - 8 * bytes;
		switch (c) {
		case '%':
			to = put(s, size, to, '%');
			break;
		case 'c':
			if (bytes > sizeof(int))
				__ravel_error("unsupported", "wide characters are not modelled");
			to = character(s, size, to, va_arg(*args, int), flags, width);
			break;
		case 's':
			if (bytes > sizeof(int))
				__ravel_error("unsupported", "wide characters are not modelled");
			to = string(s, size, to, va_arg(*args, const char *), flags, width, precision);
			break;
		case 'n':
			count(va_arg(*args, void *), bytes, to);
			break;
		case 'p':
			to = number(s, size, to, (size_t)va_arg(*args, void *), spec);
			break;
		case 'd':
		case 'i':
		case 'u':
		case 'o':
		case 'x':
		case 'X':
			v = bytes == sizeof(long long) ? va_arg(*args, unsigned long long) : va_arg(*args, u32);
			v <<= unused;
			v = c == 'd' || c == 'i' ? (u64)((long long)v >> unused) : v >> unused;
			to = number(s, size, to, v, spec);
			break;
		case 'a':
		case 'A':
		case 'e':
		case 'E':
		case 'f':
		case 'F':
		case 'g':
		case 'G': {
			double d = va_arg(*args, double);
			__builtin_memcpy(&v, &d, sizeof v);
			to = number(s, size, to, v, spec);
			break;
		}
		default:
			__ravel_error("unsupported", "printf formats integers, floating-point numbers, characters, strings and pointers only");
		}
	}
	if (size)
		s[to < size ? to : size - 1] = 0;
	return to;
}

// FORMAT is the body of a function whose arguments follow last.
#define FORMAT(last, s, size)                      \
	{                                          \
		va_list args;                      \
		va_start(args, last);              \
		int n = format(s, size, f, &args); \
		va_end(args);                      \
		return n;                          \
	}

int vsnprintf(char *s, size_t size, const char *f, va_list args) { return format(s, size, f, LIST(args)); }
int vsprintf(char *s, const char *f, va_list args) { return format(s, UNLIMITED, f, LIST(args)); }
int __vsnprintf_chk(char *s, size_t size, int flag, size_t room, const char *f, va_list args) { return format(s, size, f, LIST(args)); }
int __vsprintf_chk(char *s, int flag, size_t room, const char *f, va_list args) { return format(s, UNLIMITED, f, LIST(args)); }
int snprintf(char *s, size_t size, const char *f, ...) FORMAT(f, s, size)
int sprintf(char *s, const char *f, ...) FORMAT(f, s, UNLIMITED)
int __snprintf_chk(char *s, size_t size, int flag, size_t room, const char *f, ...) FORMAT(f, s, size)
int __sprintf_chk(char *s, int flag, size_t room, const char *f, ...) FORMAT(f, s, UNLIMITED)

// The front end leaves out calls of these whose result nobody uses and that only look at their arguments (internal/frontend/llvm/output.go).
int printf(const char *f, ...) FORMAT(f, NULL, 0)
int fprintf(void *file, const char *f, ...) FORMAT(f, NULL, 0)
int dprintf(int fd, const char *f, ...) FORMAT(f, NULL, 0)
int __printf_chk(int flag, const char *f, ...) FORMAT(f, NULL, 0)
int __fprintf_chk(void *file, int flag, const char *f, ...) FORMAT(f, NULL, 0)
int __dprintf_chk(int fd, int flag, const char *f, ...) FORMAT(f, NULL, 0)
int vprintf(const char *f, va_list args) { return format(NULL, 0, f, LIST(args)); }
int vfprintf(void *file, const char *f, va_list args) { return format(NULL, 0, f, LIST(args)); }
int vdprintf(int fd, const char *f, va_list args) { return format(NULL, 0, f, LIST(args)); }
int __vprintf_chk(int flag, const char *f, va_list args) { return format(NULL, 0, f, LIST(args)); }
int __vfprintf_chk(void *file, int flag, const char *f, va_list args) { return format(NULL, 0, f, LIST(args)); }

int vasprintf(char **result, const char *f, va_list args)
{
	va_list again;
	va_copy(again, args);
	int n = format(NULL, 0, f, &again);
	va_end(again);
	*result = malloc(n + 1);
	return format(*result, n + 1, f, LIST(args));
}

int asprintf(char **result, const char *f, ...)
{
	va_list args;
	va_start(args, f);
	int n = vasprintf(result, f, args);
	va_end(args);
	return n;
}

int __vasprintf_chk(char **result, int flag, const char *f, va_list args) { return vasprintf(result, f, args); }

int __asprintf_chk(char **result, int flag, const char *f, ...)
{
	va_list args;
	va_start(args, f);
	int n = vasprintf(result, f, args);
	va_end(args);
	return n;
}

// Strings and blocks are read, as a use of what is in them.
static size_t print(const char *s)
{
	size_t n = 0;
	for (char c; (c = at(s + n)); n++)
		__ravel_put(c);
	return n;
}

int puts(const char *s) { return print(s) + 1; }

int fputs(const char *s, void *file)
{
	print(s);
	return 1;
}

size_t fwrite(const void *p, size_t size, size_t n, void *file)
{
	for (size_t i = 0; i < size * n; i++)
		__ravel_put(at((const char *)p + i));
	return size ? n : 0;
}

// write is for the standard output and the standard error.
long write(int fd, const void *p, size_t n)
{
	if (fd != 1 && fd != 2)
		__ravel_error("unsupported", "write() to a file is not modelled: programs have memory and threads, but no files, devices or other processes");
	return fwrite(p, 1, n, NULL);
}

#define CHARACTER(name, ...)         \
	int name(int c, ##__VA_ARGS__) \
	{                            \
		__ravel_put(c);    \
		return (u8)c;        \
	}
CHARACTER(putchar)
CHARACTER(putchar_unlocked)
CHARACTER(fputc, void *file)
CHARACTER(putc, void *file)
CHARACTER(putc_unlocked, void *file)
CHARACTER(fputc_unlocked, void *file)
CHARACTER(_IO_putc, void *file)
