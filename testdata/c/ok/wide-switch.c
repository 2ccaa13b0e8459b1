// A switch on 128 bits: cases that differ in the upper half, and a value that is equal in the lower half only.
#include <assert.h>

typedef unsigned __int128 wide;

static int which(wide x)
{
	switch (x) {
	case 0: return 0;
	case 7: return 1;
	case (wide)1 << 64: return 2;
	case ((wide)1 << 64) + 7: return 3;
	case ~(wide)0: return 4;
	default: return -1;
	}
}

static int none(wide x)
{
	switch (x) {
	default: return x != 0;
	}
}

int main(void)
{
	wide big = (wide)1 << 64;
	assert(which(0) == 0 && which(7) == 1 && which(big) == 2 && which(big + 7) == 3 && which(-1) == 4);
	assert(which(8) == -1 && which(big + 8) == -1 && which(2 * big) == -1 && which(2 * big + 7) == -1 && which(~0ul) == -1);
	assert(none(big) == 1 && none(0) == 0);
	return 0;
}
