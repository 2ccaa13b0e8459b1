// Exclusives of AArch64 outside of the usual loops: one try that may fail, two ways out of a loop, something that no single instruction computes.
#include "threads.h"

static int count = 3, seen;

// dec_if_positive counts down to 0, not below.
static int dec_if_positive(int *p)
{
	int old, tmp;
	__asm__ volatile("1:	ldxr	%w0, %2\n"
			 "	subs	%w1, %w0, #1\n"
			 "	b.lt	2f\n"
			 "	stlxr	%w1, %w1, %2\n"
			 "	cbnz	%w1, 1b\n"
			 "	dmb	ish\n"
			 "2:"
			 : "=&r"(old), "=&r"(tmp), "+Q"(*p) : : "memory", "cc");
	return old > 0;
}

// try_once is a try lock whose store may fail for no reason.
static int try_once(int *p)
{
	int old, failed = 1;
	__asm__ volatile("ldaxr %w0, %2\n\tcbnz %w0, 1f\n\tstxr %w1, %w3, %2\n1:" : "=&r"(old), "+&r"(failed), "+Q"(*p) : "r"(1) : "memory");
	return !failed;
}

static void *run(void *arg)
{
	for (int i = 0; i < 2; i++)
		dec_if_positive(&count);
	return arg;
}

int main(void)
{
	unsigned long t;
	pthread_create(&t, 0, run, 0);
	run(0);
	pthread_join(t, 0);
	check(count == 0);
#ifdef ALWAYS
	check(try_once(&seen)); // nobody else tries: but it may fail
#else
	if (try_once(&seen))
		check(seen == 1 && !try_once(&seen));
	else
		check(seen == 0);
#endif
	return 0;
}
