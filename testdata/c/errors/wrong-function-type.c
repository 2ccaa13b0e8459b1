// A call through a pointer whose type is not that of the function.
#include <stdio.h>

static int sum(int a, int b)
{
	return a + b;
}

void (*any)(void) = (void (*)(void))sum;

int main(void)
{
	double (*f)(double, const char *) = (double (*)(double, const char *))any;

	printf("%g\n", f(1.0, "two")); // ERROR
	return 0;
}
