// want: verified 1
// Variable arguments of all kinds, more of them than registers, through calls of functions and of pointers.
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

struct pair {
	long a;
	double b;
};

struct large {
	int v[9];
};

struct tiny {
	char c;
	short s;
};

static int sum(int n, va_list ap)
{
	int s = 0;
	while (n--)
		s += va_arg(ap, int);
	return s;
}

static int ints(int n, ...)
{
	va_list ap, copy;
	va_start(ap, n);
	va_copy(copy, ap);
	int s = sum(n, ap) + 100 * sum(n, copy);
	va_end(copy);
	va_end(ap);
	return s;
}

static double doubles(int n, ...)
{
	double s = 0;
	va_list ap;
	va_start(ap, n);
	for (; n; n--)
		s += va_arg(ap, double);
	va_end(ap);
	return s;
}

static long objects(const char *kinds, ...)
{
	long s = 0;
	va_list ap;
	va_start(ap, kinds);
	for (; *kinds; kinds++) {
		switch (*kinds) {
		case 'p': {
			struct pair p = va_arg(ap, struct pair);
			s += p.a + (long)(2 * p.b);
			break;
		}
		case 'l': {
			struct large l = va_arg(ap, struct large);
			for (int i = 0; i < 9; i++)
				s += l.v[i];
			break;
		}
		case 't': {
			struct tiny t = va_arg(ap, struct tiny);
			s += t.c + t.s;
			break;
		}
		case 'f':
			s += va_arg(ap, int (*)(int, ...))(2, 3, 4);
			break;
		case 's':
			s += va_arg(ap, char *)[0];
			break;
		case 'L':
			s += va_arg(ap, long long);
			break;
		}
	}
	va_end(ap);
	return s;
}

static int none(int n, ...) { return n; }

static void log_line(const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
}

static int recurse(int depth, ...)
{
	va_list ap;
	va_start(ap, depth);
	int v = va_arg(ap, int);
	va_end(ap);
	return depth ? v + recurse(depth - 1, 2 * v) : v;
}

int main(void)
{
	int (*volatile indirect)(int, ...) = ints;
	struct pair p = {1, 2.5};
	struct large l = {{1, 2, 3, 4, 5, 6, 7, 8, 9}};
	struct tiny t = {'a', -1};

	assert(ints(0) == 0);
	assert(ints(3, 1, 2, 3) == 606);
	assert(ints(9, 1, 1, 1, 1, 1, 1, 1, 1, 1) == 909);
	assert(indirect(3, 1, 2, 3) == 606);
	for (int i = 0; i < 3; i++)
		assert(indirect(2, i, 5) == 101 * (i + 5));
	assert(doubles(10, 1., 1., 1., 1., 1., 1., 1., 1., 1., .5) == 9.5);
	assert(objects("plts", p, l, t, "A") == 1 + 5 + 45 + 96 + 65);
	assert(objects("Lfp", 1ll << 40, ints, p) == (1l << 40) + 707 + 6);
	indirect = none;
	assert(indirect(4) == 4 && indirect(5, p, l) == 5);
	assert(recurse(3, 1) == 15);
	log_line("%d %s\n", 1, "x");
	return 0;
}
