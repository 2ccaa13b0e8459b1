// What a processor counts, or is, may be any value.
#include "threads.h"

int main(void)
{
	unsigned lo, hi, a = 0, b, c = 0, d;
	__asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi));
	__asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
#ifdef WRONG
	check(lo != 0x12345678);
#endif
	check(d != 5 || c != 6 || a + b + hi < 1u << 31 || a + b + hi >= 1u << 31);
	return 0;
}
