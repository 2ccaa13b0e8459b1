// Numbers in text, sorting, and other parts of stdlib.h.
#include "rt.h"

static _Thread_local int error_number;

int *__errno_location(void) { return &error_number; }

int abs(int x) { return x < 0 ? -x : x; }
long labs(long x) { return x < 0 ? -x : x; }
long long llabs(long long x) { return x < 0 ? -x : x; }

INLINE int is_space(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

int isascii(int c) { return c >= 0 && c < 128; }
int toascii(int c) { return c & 127; }
int isalnum(int c);

static int digit(int c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'z' ? c - 'a' + 10 : 99;
}

// __ravel_integer reads a whole number as strtol does. limit is the largest result, and low what the largest number behind a minus is: limit for a type
// without sign, whose numbers are negated as they are.
u64 __ravel_integer(const char *s, char **end, int base, int binary, u64 limit, u64 low)
{
	if (base < 0 || base == 1 || base > 36) {
		errno = EINVAL;
		return 0;
	}
	const char *p = s;
	while (is_space(at(p)))
		p++;
	int minus = at(p) == '-';
	if (minus || at(p) == '+')
		p++;
	if (at(p) == '0') {
		int x = at(p + 1) | 0x20;
		if ((base == 0 || base == 16) && x == 'x' && digit(at(p + 2)) < 16) {
			p += 2;
			base = 16;
		} else if (binary && (base == 0 || base == 2) && x == 'b' && digit(at(p + 2)) < 2) {
			p += 2;
			base = 2;
		} else if (base == 0) {
			base = 8;
		}
	} else if (base == 0) {
		base = 10;
	}
	u64 n = 0;
	int over = 0;
	const char *digits = p;
	for (int d; (d = digit(at(p))) < base; p++) {
		u64 next;
		over |= __builtin_mul_overflow(n, (u64)base, &next);
		over |= __builtin_add_overflow(next, (u64)d, &n);
	}
	if (end)
		*end = (char *)(p == digits ? s : p);
	if (over || n > (minus ? low : limit)) {
		errno = ERANGE;
		return minus && low != limit ? -low : limit;
	}
	return minus ? -n : n;
}

#define LIMIT(type) (((u64)1 << (8 * sizeof(type) - 1)) - 1)
#define SIGNED(type, base, binary) return __ravel_integer(s, end, base, binary, LIMIT(type), LIMIT(type) + 1)
#define UNSIGNED(type, base, binary) return __ravel_integer(s, end, base, binary, 2 * LIMIT(type) + 1, 2 * LIMIT(type) + 1)
#define INTEGERS(name, uname, type)                                                                        \
	type name(const char *s, char **end, int base) { SIGNED(type, base, 0); }                          \
	unsigned type uname(const char *s, char **end, int base) { UNSIGNED(type, base, 0); }              \
	type __isoc23_##name(const char *s, char **end, int base) { SIGNED(type, base, 1); }               \
	unsigned type __isoc23_##uname(const char *s, char **end, int base) { UNSIGNED(type, base, 1); }
INTEGERS(strtol, strtoul, long)
INTEGERS(strtoll, strtoull, long long)
INTEGERS(strtoimax, strtoumax, long long)
int atoi(const char *s) { return strtol(s, NULL, 10); }
long atol(const char *s) { return strtol(s, NULL, 10); }
long long atoll(const char *s) { return strtoll(s, NULL, 10); }

// starts returns how long the word is if s starts with it, 0 if not. The word is in small letters, those of s are of either case.
static size_t starts(const char *s, const char *word)
{
	size_t n = 0;
	for (char c; (c = at(word + n)); n++)
		if ((at(s + n) | 0x20) != c)
			return 0;
	return n;
}

// The characters of a floating-point number, which the machine reads.
enum { TEXT_WORDS = 16, KEPT = 100 }; // words, and digits among them
typedef struct {
	u64 w[TEXT_WORDS];
	int n;
} chars;

static void add_char(chars *c, char x)
{
	c->w[c->n / 8] |= (u64)(u8)x << c->n % 8 * 8;
	c->n++;
}

static u64 parse(const chars *c, u64 size)
{
	return __ravel_parse(size, c->w[0], c->w[1], c->w[2], c->w[3], c->w[4], c->w[5], c->w[6], c->w[7], c->w[8], c->w[9], c->w[10],
		c->w[11], c->w[12], c->w[13], c->w[14], c->w[15]);
}

enum { INEXACT = 1 << 16 }; // asks __ravel_parse whether the number is too small

// real reads a floating-point number of size bits and returns its bits.
static u64 real(const char *s, char **end, int size)
{
	const char *p = s;
	u64 infinity = size == 64 ? 0x7ffull << 52 : 0xffull << 23, least = size == 64 ? 1ull << 52 : 1ull << 23, v = 0;
	while (is_space(at(p)))
		p++;
	int minus = at(p) == '-';
	if (minus || at(p) == '+')
		p++;
	size_t word = starts(p, "infinity");
	if (!word)
		word = starts(p, "inf");
	if (word) {
		v = infinity;
		p += word;
		goto done;
	}
	if (starts(p, "nan")) {
		v = infinity | least >> 1;
		p += 3;
		if (at(p) == '(') {
			const char *q = p + 1;
			while (isalnum(at(q)) || at(q) == '_')
				q++;
			if (at(q) == ')') {
				char *number;
				u64 payload = strtoull(p + 1, &number, 0);
				if (number == q)
					v |= payload & ((least >> 1) - 1);
				p = q + 1;
			}
		}
		goto done;
	}
	chars text = {{0}, 0};
	int base = 10, digits = 0, kept = 0, rest = 0, point = 0;
	long scale = 0;
	if (at(p) == '0' && (at(p + 1) | 0x20) == 'x' && (digit(at(p + 2)) < 16 || (at(p + 2) == '.' && digit(at(p + 3)) < 16))) {
		base = 16;
		p += 2;
		add_char(&text, '0');
		add_char(&text, 'x');
	}
	for (;; p++) {
		char c = at(p);
		if (c == '.' && !point) {
			point = 1;
			continue;
		}
		int d = digit(c);
		if (d >= base)
			break;
		digits++;
		scale -= point;
		if (!kept && !d)
			continue;
		if (kept < KEPT) {
			add_char(&text, c);
			kept++;
		} else {
			rest |= d;
			scale++;
		}
	}
	if (!digits) {
		p = s;
		minus = 0;
		goto done;
	}
	if (rest) { // it counts for rounding only that there is more
		add_char(&text, '1');
		scale--;
	}
	if (base == 16)
		scale *= 4;
	if ((at(p) | 0x20) == (base == 16 ? 'p' : 'e')) {
		const char *q = p + 1;
		int below = at(q) == '-';
		if (below || at(q) == '+')
			q++;
		if (digit(at(q)) < 10) {
			long e = 0;
			for (int d; (d = digit(at(q))) < 10; q++)
				if (e < 100000000)
					e = e * 10 + d;
			scale += below ? -e : e;
			p = q;
		}
	}
	if (kept) {
		add_char(&text, base == 16 ? 'p' : 'e');
		if (scale < 0)
			add_char(&text, '-');
		u64 n = scale < 0 ? -scale : scale;
		for (u64 unit = 10000000000; unit; unit /= 10)
			add_char(&text, '0' + n / unit % 10);
		v = parse(&text, size);
		if (v == infinity || (v <= least && parse(&text, size | INEXACT)))
			errno = ERANGE;
	}
done:
	if (end)
		*end = (char *)p;
	return v | (u64)minus << (size - 1);
}

static double as_double(u64 v)
{
	double d;
	__builtin_memcpy(&d, &v, sizeof d);
	return d;
}

double strtod(const char *s, char **end) { return as_double(real(s, end, 64)); }
double strtold(const char *s, char **end) { return strtod(s, end); } // a long double is a double
double atof(const char *s) { return strtod(s, NULL); }

float strtof(const char *s, char **end)
{
	u32 v = real(s, end, 32);
	float f;
	__builtin_memcpy(&f, &v, sizeof f);
	return f;
}

int isdigit(int c) { return c >= '0' && c <= '9'; }
int isupper(int c) { return c >= 'A' && c <= 'Z'; }
int islower(int c) { return c >= 'a' && c <= 'z'; }
int isalpha(int c) { return isupper(c) || islower(c); }
int isblank(int c) { return c == ' ' || c == '\t'; }
int iscntrl(int c) { return (c >= 0 && c < ' ') || c == 0x7f; }
int isgraph(int c) { return c > ' ' && c < 0x7f; }
int isalnum(int c) { return isalpha(c) || isdigit(c); }
int isspace(int c) { return is_space(c); }
int isxdigit(int c) { return digit(c) < 16; }
int isprint(int c) { return c >= 0x20 && c < 0x7f; }
int ispunct(int c) { return isprint(c) && c != ' ' && !isalnum(c); }
int toupper(int c) { return islower(c) ? c - 0x20 : c; }
int tolower(int c) { return isupper(c) ? c + 0x20 : c; }

// The table behind the macros of <ctype.h>: the classes of the characters from -128 to 255, in glibc's bits.
#define GRAPHIC 0xc000 // graph, print
#define LETTER (GRAPHIC | 0x0408)
#define PUNCT (GRAPHIC | 0x0004)
static const u16 classes[384] = {
	[128 + 0 ... 128 + 8] = 0x0002,
	[128 + '\t'] = 0x2003,
	[128 + '\n' ... 128 + '\r'] = 0x2002,
	[128 + 14 ... 128 + 31] = 0x0002,
	[128 + ' '] = 0x6001,
	[128 + '!' ... 128 + '/'] = PUNCT,
	[128 + '0' ... 128 + '9'] = GRAPHIC | 0x1808,
	[128 + ':' ... 128 + '@'] = PUNCT,
	[128 + 'A' ... 128 + 'F'] = LETTER | 0x1100,
	[128 + 'G' ... 128 + 'Z'] = LETTER | 0x0100,
	[128 + '[' ... 128 + '`'] = PUNCT,
	[128 + 'a' ... 128 + 'f'] = LETTER | 0x1200,
	[128 + 'g' ... 128 + 'z'] = LETTER | 0x0200,
	[128 + '{' ... 128 + '~'] = PUNCT,
	[128 + 127] = 0x0002,
};
static const u16 *const middle = classes + 128;

const u16 **__ctype_b_loc(void) { return (const u16 **)&middle; }

// The tables behind toupper and tolower, which optimised code looks at itself.
#define SAME(c) [128 + (c)] = (c)
#define SAME4(c) SAME(c), SAME((c) + 1), SAME((c) + 2), SAME((c) + 3)
#define SAME16(c) SAME4(c), SAME4((c) + 4), SAME4((c) + 8), SAME4((c) + 12)
#define SAME64(c) SAME16(c), SAME16((c) + 16), SAME16((c) + 32), SAME16((c) + 48)
#define SAME128(c) SAME64(c), SAME64((c) + 64)
#define OTHER(c, d) [128 + (c)] = (c) + (d)
#define OTHER13(c, d) \
	OTHER(c, d), OTHER((c) + 1, d), OTHER((c) + 2, d), OTHER((c) + 3, d), OTHER((c) + 4, d), OTHER((c) + 5, d), OTHER((c) + 6, d), OTHER((c) + 7, d), \
		OTHER((c) + 8, d), OTHER((c) + 9, d), OTHER((c) + 10, d), OTHER((c) + 11, d), OTHER((c) + 12, d)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Winitializer-overrides"
static const int uppercase[384] = {SAME128(-128), SAME128(0), SAME128(128), OTHER13('a', -0x20), OTHER13('n', -0x20)};
static const int lowercase[384] = {SAME128(-128), SAME128(0), SAME128(128), OTHER13('A', 0x20), OTHER13('N', 0x20)};
#pragma clang diagnostic pop
static const int *const upper_middle = uppercase + 128, *const lower_middle = lowercase + 128;

const int **__ctype_toupper_loc(void) { return (const int **)&upper_middle; }
const int **__ctype_tolower_loc(void) { return (const int **)&lower_middle; }

static void swap(u8 *a, u8 *b, size_t n)
{
	u64 all = (u64)a | (u64)b | n;
	if (all % 8 == 0) {
		for (size_t i = 0; i < n; i += 8) {
			u64 x = *(u64 *)(a + i);
			*(u64 *)(a + i) = *(u64 *)(b + i);
			*(u64 *)(b + i) = x;
		}
	} else if (all % 4 == 0) {
		for (size_t i = 0; i < n; i += 4) {
			u32 x = *(u32 *)(a + i);
			*(u32 *)(a + i) = *(u32 *)(b + i);
			*(u32 *)(b + i) = x;
		}
	} else {
		for (size_t i = 0; i < n; i++) {
			u8 x = a[i];
			a[i] = b[i];
			b[i] = x;
		}
	}
}

// qsort is an insertion sort: stable, as programs expect of glibc, and short for short arrays.
void qsort_r(void *base, size_t n, size_t size, int (*cmp)(const void *, const void *, void *), void *arg)
{
	u8 *a = base;
	for (size_t i = 1; i < n; i++)
		for (u8 *p = a + i * size; p > a && cmp(p - size, p, arg) > 0; p -= size)
			swap(p - size, p, size);
}

void qsort(void *base, size_t n, size_t size, int (*cmp)(const void *, const void *))
{
	u8 *a = base;
	for (size_t i = 1; i < n; i++)
		for (u8 *p = a + i * size; p > a && cmp(p - size, p) > 0; p -= size)
			swap(p - size, p, size);
}

void *bsearch(const void *key, const void *base, size_t n, size_t size, int (*cmp)(const void *, const void *))
{
	const u8 *a = base;
	while (n) {
		const u8 *mid = a + n / 2 * size;
		int c = cmp(key, mid);
		if (c == 0)
			return (void *)mid;
		if (c > 0) {
			a = mid + size;
			n -= n / 2 + 1;
		} else {
			n /= 2;
		}
	}
	return NULL;
}

long sysconf(int name)
{
	switch (name) {
	case 30: // _SC_PAGESIZE
		return 4096;
	case 83: // _SC_NPROCESSORS_CONF
	case 84: // _SC_NPROCESSORS_ONLN
		return 2;
	}
	return -1;
}

int getpagesize(void) { return 4096; }
int get_nprocs(void) { return 2; }
int getpid(void) { return 1; }
int gettid(void) { return __ravel_self() + 1; }
int isatty(int fd) { return 0; }
void srand(u32 seed) {}
void srandom(u32 seed) {}
void srand48(long seed) {}
void setbuf(void *file, char *buf) {}
void setlinebuf(void *file) {}
int setvbuf(void *file, char *buf, int mode, size_t n) { return 0; }

// No signal ever arrives. That leaves nothing out unless the program asks for one: raise and kill are refused, and so is alarm with a handler.
static u32 alarm_handled;

static void handles(int sig, void *handler)
{
	if (sig == 14 && (size_t)handler > 1) // SIGALRM; neither SIG_DFL nor SIG_IGN
		store(&alarm_handled, 1, rlx);
}

void *signal(int sig, void *handler)
{
	handles(sig, handler);
	return NULL;
}

u32 alarm(u32 seconds)
{
	if (seconds && load(&alarm_handled, rlx))
		__ravel_error("unsupported", "alarm() with a handler for its signal is not modelled");
	return 0;
}

char *setlocale(int category, const char *locale) { return NULL; }
int sigemptyset(void *set) { return 0; }
int sigfillset(void *set) { return 0; }
int sigaddset(void *set, int sig) { return 0; }
int sigdelset(void *set, int sig) { return 0; }
int sigprocmask(int how, const void *set, void *old) { return 0; }
int siginterrupt(int sig, int flag) { return 0; }
int sigaction(int sig, void *const *new, void *old)
{
	if (new)
		handles(sig, *new);
	return 0;
}
int getppid(void) { return 1; }

// Programs run without arguments.
int getopt(int argc, char **argv, const char *options) { return -1; }
int getopt_long(int argc, char **argv, const char *options, const void *names, int *which) { return -1; }

// A program that does not include <assert.h> declares this by calling it.
int assert(int c)
{
	if (!c)
		__ravel_error("assertion", "assertion failed");
	return 0;
}
void *dlsym(void *library, const char *name) { return NULL; } // what programs look for is not there
