// Small functions on numbers: bits, division with remainder, rounding.
#include "rt.h"

int ffs(int x) { return x ? __builtin_ctz(x) + 1 : 0; }
int ffsl(long x) { return x ? __builtin_ctzl(x) + 1 : 0; }
int ffsll(long long x) { return x ? __builtin_ctzll(x) + 1 : 0; }

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
