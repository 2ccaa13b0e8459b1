// getchar returns a byte or EOF, and what the program compares with is told apart: an a, EOF, another byte.
// want: verified
#include <assert.h>
#include <stdio.h>
int main(void)
{
	int c = getchar();
	if (c == 'a')
		return 1;
	if (c == EOF)
		return 2;
	assert(c >= 0 && c <= 255);
	return 0;
}
