// read returns -1, 0, or how many bytes it has stored.
// want: verified
#include <assert.h>
#include <errno.h>
#include <unistd.h>
int main(void)
{
	char c[2] = {1, 1};
	ssize_t n = read(0, c, 1);
	assert(n >= -1 && n <= 1 && c[1] == 1);
	assert(n != -1 || errno == EINTR);
	assert(n == 1 || c[0] == 1);
}
