// There are no files.
#include <fcntl.h>
#include <unistd.h>

int main(void)
{
	char c;
	int f = open("x", O_RDONLY);
	return read(f, &c, 1) == 1;
}
