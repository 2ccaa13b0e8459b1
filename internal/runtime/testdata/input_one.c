// … of which each outcome is explored.
// want: assertion n != 1
#include <assert.h>
#include <stdio.h>
int main(void)
{
	int x, y, n = fscanf(stdin, "%d %d", &x, &y);
	assert(n != 1);
}
