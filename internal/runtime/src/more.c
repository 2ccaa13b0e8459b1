// Functions of the C library that programs call once in a while.
#include "rt.h"

_Noreturn void exit(int status);

// What is printed is thrown away.
_Noreturn void err(int status, const char *f, ...) { exit(status); }
_Noreturn void errx(int status, const char *f, ...) { exit(status); }
void warn(const char *f, ...) {}
void warnx(const char *f, ...) {}
void flockfile(void *file) {}
void funlockfile(void *file) {}

// Scheduling makes no difference.
int pthread_getschedparam(pthread_t t, int *policy, int *priority)
{
	*policy = *priority = 0;
	return 0;
}

int pthread_getname_np(pthread_t t, char *name, size_t n)
{
	if (n)
		name[0] = 0;
	return 0;
}

int sched_setscheduler(int pid, int policy, const void *p) { return 0; }
int sched_get_priority_max(int policy) { return 99; }
int sched_get_priority_min(int policy) { return 1; }

static int all_cpus(size_t n, u8 *set)
{
	for (size_t i = 0; i < n; i++)
		set[i] = i == 0 ? 3 : 0; // two, as sysconf says
	return 0;
}

int sched_getaffinity(int pid, size_t n, void *set) { return all_cpus(n, set); }
int pthread_getaffinity_np(pthread_t t, size_t n, void *set) { return all_cpus(n, set); }

int __sched_cpucount(size_t n, const u8 *set)
{
	int count = 0;
	for (size_t i = 0; i < n; i++)
		count += __builtin_popcount(set[i]);
	return count;
}

int mlock(const void *p, size_t n) { return 0; }
int mlockall(int flags) { return 0; }
int getuid(void) { return 0; }

int getrusage(int who, u64 *usage)
{
	for (int i = 0; i < 18; i++)
		usage[i] = 0;
	return 0;
}

// Dates: the epoch's.
static int date[16];
void *localtime(const long *t) { return date; }
void *gmtime(const long *t) { return date; }
void *localtime_r(const long *t, int *result)
{
	for (int i = 0; i < 14; i++)
		result[i] = 0;
	return result;
}
void *gmtime_r(const long *t, int *result) { return localtime_r(t, result); }
size_t strftime(char *s, size_t n, const char *f, const void *t)
{
	if (n)
		s[0] = 0;
	return 0;
}
double difftime(long a, long b) { return a - b; }

int ffs(int x) { return x ? __builtin_ctz(x) + 1 : 0; }
int ffsl(long x) { return x ? __builtin_ctzl(x) + 1 : 0; }
int ffsll(long long x) { return x ? __builtin_ctzll(x) + 1 : 0; }
int isblank(int c) { return c == ' ' || c == '\t'; }
int iscntrl(int c) { return (c >= 0 && c < ' ') || c == 0x7f; }
int isgraph(int c) { return c > ' ' && c < 0x7f; }

typedef struct {
	int quot, rem;
} div_t;
typedef struct {
	long quot, rem;
} ldiv_t;
div_t div(int a, int b) { return (div_t){a / b, a % b}; }
ldiv_t ldiv(long a, long b) { return (ldiv_t){a / b, a % b}; }
ldiv_t lldiv(long a, long b) { return (ldiv_t){a / b, a % b}; }

double round(double x);
double rint(double x);
double trunc(double x);
long lround(double x) { return round(x); }
long llround(double x) { return round(x); }
long lrint(double x) { return rint(x); }
long llrint(double x) { return rint(x); }
double modf(double x, double *whole) { return x - (*whole = trunc(x)); }
