// A long of 32 bits: no value of it is above 2^31 - 1, and the sum of two overflows.
extern long __VERIFIER_nondet_long(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
extern void abort(void);
extern void __VERIFIER_error(void);

int main(void)
{
	long x = __VERIFIER_nondet_long();
	unsigned long u = __VERIFIER_nondet_ulong();
	if ((long long)x > 0x7fffffffll || (unsigned long long)u > 0xffffffffull)
		abort();
	if (u == 0xfffffffful)
		__VERIFIER_error();
}
