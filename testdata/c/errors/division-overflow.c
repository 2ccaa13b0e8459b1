// The least int divided by -1: the quotient is not an int.
#include <limits.h>
#include <stdio.h>

int least = INT_MIN, minus_one = -1;

int main(void)
{
	printf("%d\n", least / minus_one); // ERROR
	return 0;
}
