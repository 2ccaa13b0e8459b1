// Numbers, sorting, time, and other small parts of the C library.
#include "rt.h"

static _Thread_local int error_number;

int *__errno_location(void) { return &error_number; }

int abs(int x) { return x < 0 ? -x : x; }
long labs(long x) { return x < 0 ? -x : x; }
long long llabs(long long x) { return x < 0 ? -x : x; }

INLINE int is_space(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static int digit(int c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'z' ? c - 'a' + 10 : 99;
}

// number reads a number, without the checks for overflow that strtol has.
static u64 number(const char *s, char **end, int base)
{
	const char *p = s;
	while (is_space(*p))
		p++;
	int minus = *p == '-';
	if (minus || *p == '+')
		p++;
	if ((base == 0 || base == 16) && p[0] == '0' && (p[1] | 0x20) == 'x' && digit(p[2]) < 16) {
		p += 2;
		base = 16;
	} else if (base == 0) {
		base = *p == '0' ? 8 : 10;
	}
	u64 n = 0;
	const char *digits = p;
	for (int d; (d = digit(*p)) < base; p++)
		n = n * base + d;
	if (end)
		*end = (char *)(p == digits ? s : p);
	return minus ? -n : n;
}

long strtol(const char *s, char **end, int base) { return number(s, end, base); }
unsigned long strtoul(const char *s, char **end, int base) { return number(s, end, base); }
long long strtoll(const char *s, char **end, int base) { return number(s, end, base); }
unsigned long long strtoull(const char *s, char **end, int base) { return number(s, end, base); }
long __isoc23_strtol(const char *s, char **end, int base) { return number(s, end, base); }
unsigned long __isoc23_strtoul(const char *s, char **end, int base) { return number(s, end, base); }
int atoi(const char *s) { return number(s, NULL, 10); }
long atol(const char *s) { return number(s, NULL, 10); }
long long atoll(const char *s) { return number(s, NULL, 10); }

// real reads a number with a point and an exponent, exactly if it has few digits.
static double real(const char *s, char **end)
{
	const char *p = s;
	while (is_space(*p))
		p++;
	int minus = *p == '-';
	if (minus || *p == '+')
		p++;
	double v = 0;
	int digits = 0, scale = 0;
	for (; digit(*p) < 10; p++, digits++)
		v = v * 10 + digit(*p);
	if (*p == '.')
		for (p++; digit(*p) < 10; p++, digits++, scale--)
			v = v * 10 + digit(*p);
	if (!digits)
		p = s;
	else if ((*p | 0x20) == 'e') {
		char *rest;
		int e = number(p + 1, &rest, 10);
		if (rest != p + 1) {
			scale += e;
			p = rest;
		}
	}
	double power = 1;
	for (int n = scale < 0 ? -scale : scale; n; n--)
		power *= 10;
	v = scale < 0 ? v / power : v * power;
	if (end)
		*end = (char *)p;
	return minus ? -v : v;
}

double strtod(const char *s, char **end) { return real(s, end); }
float strtof(const char *s, char **end) { return real(s, end); }
double strtold(const char *s, char **end) { return real(s, end); } // a long double is a double
double atof(const char *s) { return real(s, NULL); }

int isdigit(int c) { return c >= '0' && c <= '9'; }
int isupper(int c) { return c >= 'A' && c <= 'Z'; }
int islower(int c) { return c >= 'a' && c <= 'z'; }
int isalpha(int c) { return isupper(c) || islower(c); }
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

// Every thread has a clock of its own, which begins one second after the epoch. Each look at it finds that more time has passed than at
// the last one, so that a loop with a deadline ends after a few rounds; sleeping takes no time, so that a loop around it can be seen to wait.
enum { MILLISECOND = 1000000, SECOND = 1000 * MILLISECOND };

static _Thread_local i64 elapsed; // nanoseconds
static _Thread_local i64 step;    // until the next look; 0 is none, which is so before the first one
static _Thread_local i64 last;    // step before it was 0

i64 __ravel_now(void)
{
	elapsed += step;
	last = step = step ? step < 1ll << 50 ? 4 * step : step : last ? last : MILLISECOND;
	return SECOND + elapsed;
}

void __ravel_passed(i64 ns)
{
	if (elapsed < ns - SECOND)
		elapsed = ns - SECOND;
	step = 0;
}

void __ravel_in_time(void) { step = 0; }

i64 __ravel_nanoseconds(const timespec *t) { return (i64)t->sec * SECOND + t->nsec; }

int clock_gettime(int clock, timespec *t)
{
	i64 now = __ravel_now();
	t->sec = now / SECOND;
	t->nsec = now % SECOND;
	return 0;
}

int gettimeofday(timespec *t, void *zone)
{
	clock_gettime(0, t);
	t->nsec /= 1000;
	return 0;
}

long time(long *t)
{
	long now = __ravel_now() / SECOND;
	if (t)
		*t = now;
	return now;
}

int timespec_get(timespec *t, int base)
{
	clock_gettime(0, t);
	return base;
}

long clock(void) { return __ravel_now() / 1000; }

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
int gettid(void) { return me(); }
int isatty(int fd) { return 0; }
void srand(u32 seed) {}
void srandom(u32 seed) {}
void setbuf(void *file, char *buf) {}
int setvbuf(void *file, char *buf, int mode, size_t n) { return 0; }
void *signal(int sig, void *handler) { return NULL; }
char *setlocale(int category, const char *locale) { return NULL; }
int sigemptyset(void *set) { return 0; }
int sigfillset(void *set) { return 0; }
int sigaddset(void *set, int sig) { return 0; }
int sigaction(int sig, const void *new, void *old) { return 0; }
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
