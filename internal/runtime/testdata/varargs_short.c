// want: memory
// A function takes an argument more than it gets.
#include <stdarg.h>

static int sum(int n, ...)
{
	int s = 0;
	va_list ap;
	va_start(ap, n);
	while (n--)
		s += va_arg(ap, int);
	va_end(ap);
	return s;
}

int main(void) { return sum(3, 1, 2); }
