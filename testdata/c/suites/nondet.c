// Values of the environment: all that the program can tell apart are explored; where these are too many, the verdict is bounded.
#include <assert.h>

int __VERIFIER_nondet_int(void);
unsigned __VERIFIER_nondet_uint(void);
unsigned char __VERIFIER_nondet_uchar(void);
short __VERIFIER_nondet_short(void);
long __VERIFIER_nondet_long(void);
_Bool __VERIFIER_nondet_bool(void);
double __VERIFIER_nondet_double(void);
void *__VERIFIER_nondet_pointer(void);
void __VERIFIER_assume(int);

volatile int sink;
int a[16];

int main(void)
{
#if CASE == 1 // three classes: less than 7, 7, more
	int x = __VERIFIER_nondet_int();
	if (x == 7)
		sink = 1;
	else if (x > 7)
		sink = 2;
#elif CASE == 2 // one value in 2⁶⁴
	long x = __VERIFIER_nondet_long();
	assert(x != -123456789012345);
#elif CASE == 3 // sixteen are left
	int i = __VERIFIER_nondet_int();
	__VERIFIER_assume(i >= 0 && i < 16);
	a[i] = i;
	assert(a[i] == i);
#elif CASE == 4 // one too many
	int i = __VERIFIER_nondet_int();
	__VERIFIER_assume(0 <= i);
	__VERIFIER_assume(i <= 16);
	a[i] = i;
#elif CASE == 5 // what a byte may be
	unsigned char c = __VERIFIER_nondet_uchar();
	assert(c * c != 225 * 225);
#elif CASE == 6 // too many to try
	sink = __VERIFIER_nondet_int();
#elif CASE == 7 // the sum of two depends on both
	int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
	assert(x + y != 1000000);
#elif CASE == 8 // remainders have the sign of the dividend
	int r = __VERIFIER_nondet_int() % 3;
	assert(r != -2);
#elif CASE == 9 // unsigned comparison of a negative number
	unsigned short s = __VERIFIER_nondet_short();
	assert(s != 65535);
#elif CASE == 10 // a loop that may go on
	int n = 0;
	while (__VERIFIER_nondet_bool())
		n++;
	assert(n < 3);
#elif CASE == 11
	assert(__VERIFIER_nondet_double() < 2);
#elif CASE == 12
	assert(__VERIFIER_nondet_pointer());
#elif CASE == 13 // no value is good
	int x = __VERIFIER_nondet_int();
	__VERIFIER_assume(x > 3);
	__VERIFIER_assume(x < 3);
	assert(0);
#elif CASE == 14
	unsigned u = __VERIFIER_nondet_uint();
	switch (u) {
	case 0:
	case 1:
		break;
	case 4000000000u:
		assert(0);
	}
#elif CASE == 15 // the variable has other values later
	int i = __VERIFIER_nondet_int();
	if (i == 42)
		sink = 1;
	for (i = 0; i < 3; i++)
		sink = i;
#endif
	return 0;
}
