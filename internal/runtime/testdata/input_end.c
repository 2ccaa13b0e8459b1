// The input may end.
// want: assertion
#include <assert.h>
#include <stdio.h>
int main(void)
{
	assert(fgetc(stdin) != EOF);
}
