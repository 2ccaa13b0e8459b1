// scanf may find the end of the input, no number, one, or two.
// want: verified
#include <assert.h>
#include <stdio.h>
int main(void)
{
	_Bool a, b;
	int x = -7, y = -7, n = scanf("%d,%d", &x, &y);
	assert(n == EOF || n == 0 || n == 1 || n == 2);
	if (n < 1)
		assert(x == -7);
	if (n < 2)
		assert(y == -7);
}
