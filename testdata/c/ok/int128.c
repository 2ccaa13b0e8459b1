// Integers of 128 bits: carry, product, quotient, shifts and comparison.
#include <assert.h>
#include <stdint.h>

uint64_t low = UINT64_MAX, big = 0x123456789abcdef0;

int main(void)
{
	unsigned __int128 u = low;

	u += 1;
	assert((uint64_t)(u >> 64) == 1 && (uint64_t)u == 0);

	unsigned __int128 square = (unsigned __int128)big * big;
	assert((uint64_t)(square >> 64) == 0x014b66dc33f6acdc && (uint64_t)square == 0xa5e20890f2a52100);
	assert(square / big == big && square % big == 0);
	assert((square >> 4) / (big >> 4) == big);

	__int128 s = -(__int128)big;
	s *= 1000000007;
	assert(s < 0 && s / 1000000007 == -(__int128)big);
	assert((s >> 127) == -1 && (s << 1) < s);
	return 0;
}
