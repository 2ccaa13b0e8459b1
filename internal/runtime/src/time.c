// Clocks and dates.
#include "rt.h"

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

int clock_getres(int clock, timespec *t)
{
	if (t)
		*t = (timespec){0, 1};
	return 0;
}

int timespec_getres(timespec *t, int base)
{
	clock_getres(0, t);
	return base;
}

int timespec_get(timespec *t, int base)
{
	clock_gettime(0, t);
	return base;
}

long clock(void) { return __ravel_now() / 1000; }

// Every date is the epoch's.
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
static char epoch[] = "Thu Jan  1 00:00:00 1970\n";
char *asctime(const void *t) { return epoch; }
char *ctime(const long *t) { return epoch; }
char *asctime_r(const void *t, char *s)
{
	__builtin_memcpy(s, epoch, sizeof epoch);
	return s;
}
char *ctime_r(const long *t, char *s) { return asctime_r(t, s); }
double difftime(long a, long b) { return a - b; }
