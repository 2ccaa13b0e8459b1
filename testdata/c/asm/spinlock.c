// A spin lock by load-linked and store-conditional of four processors and by xchg of x86. -DBUG: unlock does not release.
#include "threads.h"

static int word, shared;

#if defined __x86_64__
static void lock(void)
{
	int one = 1;
	__asm__ volatile("1:\n\txchgl %0, %1\n\ttestl %0, %0\n\tjz 2f\n\tpause\n\tmovl $1, %0\n\tjmp 1b\n2:" : "+r"(one), "+m"(word) : : "memory", "cc");
}
#define UNLOCK "movl $0, %0"
#define PLAIN UNLOCK
#elif defined __aarch64__
static void lock(void)
{
	int tmp;
	__asm__ volatile("	sevl\n"
			 "1:	wfe // as the kernel did once\n"
			 "	ldaxr	%w0, %1\n"
			 "	cbnz	%w0, 1b\n"
			 "	stxr	%w0, %w2, %1\n"
			 "	cbnz	%w0, 1b\n"
			 : "=&r"(tmp), "+Q"(word) : "r"(1) : "memory");
}
#define UNLOCK "stlr wzr, %0"
#define PLAIN "str wzr, %0"
#elif defined __arm__
static void lock(void)
{
	int tmp;
	__asm__ volatile("1:	ldrex	%0, [%1]\n"
			 "	teq	%0, #0\n"
			 "	strexeq	%0, %2, [%1]\n"
			 "	teqeq	%0, #0\n"
			 "	bne	1b\n"
			 "	dmb	ish"
			 : "=&r"(tmp) : "r"(&word), "r"(1) : "cc", "memory");
}
#define UNLOCK "dmb ish; mov r12, #0; str r12, %0"
#define PLAIN "mov r12, #0; str r12, %0"
#elif defined __powerpc64__
static void lock(void)
{
	int tmp;
	__asm__ volatile("1:	lwarx	%0,0,%1\n"
			 "	cmpwi	0,%0,0\n"
			 "	bne-	1b\n"
			 "	stwcx.	%2,0,%1\n"
			 "	bne-	1b\n"
			 "	isync"
			 : "=&r"(tmp) : "r"(&word), "r"(1) : "cr0", "memory");
}
#define UNLOCK "lwsync; stw%U0%X0 %1, %0"
#define PLAIN "stw%U0%X0 %1, %0"
#elif defined __riscv
static void lock(void)
{
	int tmp;
	__asm__ volatile("0:	lr.w.aq	%0, %1\n"
			 "	bnez	%0, 0b\n"
			 "	sc.w	%0, %2, %1\n"
			 "	bnez	%0, 0b"
			 : "=&r"(tmp), "+A"(word) : "r"(1) : "memory");
}
#define UNLOCK "fence rw, w; sw zero, %0"
#define PLAIN "sw zero, %0"
#endif

static void unlock(void)
{
#ifdef BUG
	__asm__ volatile(PLAIN : "=m"(word) : "r"(0) : "memory");
#else
	__asm__ volatile(UNLOCK : "=m"(word) : "r"(0) : "memory");
#endif
}

static void *add(void *arg)
{
	lock();
	shared++;
	unlock();
	return arg;
}

int main(void)
{
	unsigned long t;
	pthread_create(&t, 0, add, 0);
	add(0);
	pthread_join(t, 0);
	check(shared == 2);
	return 0;
}
