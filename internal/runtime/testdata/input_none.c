// A program that does not look at what scanf returns uses a number that is not there.
// want: uninitialised
#include <stdio.h>
int main(void)
{
	int x;
	scanf("%d", &x);
	return x > 3;
}
