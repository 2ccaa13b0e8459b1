// want: verified 1
#include <stdexcept>
int main(int argc, char **argv)
{
	try {
		if (argc)
			throw 3;
	} catch (int) {
	}
}
