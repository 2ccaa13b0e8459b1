// Arithmetic that C leaves undefined (C17 6.5), and the right programs beside it. With --check-overflow, signed overflow too.
#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

static volatile int one = 1, most = INT_MAX, least = INT_MIN, bits = 32, zero;
static volatile unsigned umost = UINT_MAX;

#if defined SHIFT
int main(void) { return 1 << bits; }
#elif defined SHIFT_RIGHT
int main(void) { return umost >> (bits + 1); }
#elif defined SHIFT_SIGNED
int main(void) { return least >> bits; }
#elif defined SHIFT_NEGATIVE
int main(void) { return one << -one; }
#elif defined SHIFT_UNUSED // the result does not matter
int main(void) { int x = one << bits; (void)x; return 0; }
#elif defined SHIFT_LONG
int main(void) { return (uint64_t)one << (bits + bits); }
#elif defined SHIFT_WIDE
int main(void) { return (unsigned __int128)one << (4 * bits); }
#elif defined SHIFT_ASSIGN
int main(void) { unsigned char c = one; c <<= bits; return c; }
#elif defined SHIFT_OK // char is promoted to int; what is not evaluated does not matter
int main(void)
{
	unsigned char c = one;
	int n = bits;
	int x = n < 32 ? one << n : 0;
	int y = n < 32 && one << n;
	uint64_t l = (uint64_t)one << n;
	unsigned __int128 w = (unsigned __int128)one << (4 * n - 1);
	return (c << 8) - 256 + x + y + (int)(l >> n) - 1 + (int)(w >> 127) - 1 + (least >> 31) + 1;
}
#elif defined CLZ
int main(void) { return __builtin_clz(zero); }
#elif defined CLZ_OK
int main(void) { return __builtin_clz(one) - 31 + __builtin_ctz(bits) - 5; }

#elif defined ADD
int main(void) { return most + one; }
#elif defined ADD_UNUSED
int main(void) { int x = most + one; (void)x; return 0; }
#elif defined SUB
int main(void) { return least - one; }
#elif defined MUL
int main(void) { return most * 2; }
#elif defined MUL_LONG
int main(void) { volatile long l = LONG_MAX / 2 + 1; return l * 2 > 0; }
#elif defined NEGATE
int main(void) { return -least; }
#elif defined INCREMENT
int main(void) { int i = most; i++; return 0; }
#elif defined COMPOUND
int main(void) { int i = least; i -= one; return 0; }
#elif defined INDEX // of an array
int main(void) { static int a[2]; return a[most + 2 + least]; }
#elif defined ADD_WIDE
int main(void) { volatile __int128 x = ((__int128)1 << 126) + (((__int128)1 << 126) - 1); return x + one > 0; }
#elif defined OVERFLOW_OK // unsigned numbers wrap, small types are promoted, atomics wrap, pointers have their own rules
int main(void)
{
	unsigned u = umost;
	u = u + one;
	u -= one;
	u *= 2;
	short s = SHRT_MAX;
	s++;
	signed char c = SCHAR_MIN;
	c = -c;
	atomic_int a = INT_MAX;
	atomic_fetch_add(&a, 1);
	int x[4] = {0}, *p = x + 3;
	p -= 2;
	int r;
	if (!__builtin_add_overflow(most, one, &r))
		return 1;
	return (u != UINT_MAX - 1) + (s != SHRT_MIN) + (c != SCHAR_MIN) + (p - x != 1) + (most - 1 + one != most) + (abs(least + 1) != most) + p[-1];
}
#endif
