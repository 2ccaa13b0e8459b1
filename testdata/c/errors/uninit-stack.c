// A local variable that is set on one path only, and read on both.
#include <stdio.h>

int available = 0;

static int __attribute__((noinline)) take(int *result)
{
	if (!available) {
		return 0;
	}
	*result = 1;
	return 1;
}

int main(void)
{
	int result; // RELATED

	take(&result);
	if (result) { // ERROR
		printf("taken\n");
	}
	return 0;
}
