// Random numbers are any numbers.
// want: assertion
// model: rc11
#include <assert.h>
#include <stdlib.h>
int main(void)
{
	srand(1);
	int r = rand();
	assert(r >= 0);
	assert(random() % 3 != 2);
	return 0;
}
