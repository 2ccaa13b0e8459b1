// Functions with variable arguments: printf, a sum of the program's own, and one that passes them on.
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

static int sum(int n, ...)
{
	va_list ap, again;
	int s = 0;

	va_start(ap, n);
	va_copy(again, ap);
	for (int i = 0; i < n; i++) {
		s += va_arg(ap, int);
	}
	for (int i = 0; i < n; i++) {
		s += 100 * va_arg(again, int);
	}
	va_end(again);
	va_end(ap);
	return s;
}

static double mixed(const char *kinds, ...)
{
	va_list ap;
	double s = 0;

	va_start(ap, kinds);
	for (; *kinds; kinds++) {
		switch (*kinds) {
		case 'i':
			s += va_arg(ap, int);
			break;
		case 'l':
			s += va_arg(ap, long);
			break;
		case 'd':
			s += va_arg(ap, double);
			break;
		case 's':
			s += va_arg(ap, const char *)[0];
			break;
		}
	}
	va_end(ap);
	return s;
}

static int __attribute__((format(printf, 1, 2))) log_line(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	int n = vprintf(format, ap);
	va_end(ap);
	return n;
}

int main(void)
{
	assert(sum(3, 1, 2, 3) == 606);
	assert(sum(8, 1, 1, 1, 1, 1, 1, 1, 1) == 808);
	assert(mixed("ildsid", 1, 2L, 0.5, "A", -1, 0.25) == 67.75);
	printf("%s %5d %-4u| %#lx %c %%\n", "text", -7, 7u, 255L, 'c');
	log_line("%d of %d\n", 1, 2);
	return 0;
}
