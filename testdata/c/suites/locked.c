// Locked instructions of x86 in inline assembly, as old code has them.
#include <assert.h>
#include <pthread.h>

static volatile int lock, count;
static int data;
static volatile long wide;
static volatile unsigned char byte;

static int xchg(volatile int *p, int v)
{
	__asm__ __volatile__("xchgl %0, %1" : "=r"(v), "+m"(*p) : "0"(v) : "memory");
	return v;
}

static int cmpxchg(volatile int *p, int old, int new)
{
	int was;
	__asm__ __volatile__("lock; cmpxchgl %2, %1" : "=a"(was), "+m"(*p) : "r"(new), "0"(old) : "memory");
	return was;
}

static int try_cmpxchg(volatile int *p, int old, int new)
{
	unsigned char done;
	__asm__ __volatile__("lock\n\tcmpxchgl %3, %1\n\tsete %0" : "=q"(done), "+m"(*p), "+a"(old) : "r"(new) : "memory", "cc");
	return done;
}

static int xadd(volatile int *p, int v)
{
	__asm__ __volatile__("lock xaddl %0, %1" : "+r"(v), "+m"(*p) : : "memory");
	return v;
}

static int dec_and_test(volatile int *p)
{
	unsigned char zero;
	__asm__ __volatile__("lock; decl %0; sete %1" : "+m"(*p), "=qm"(zero) : : "memory");
	return zero;
}

static void acquire(void)
{
#if LOCK == 1
	while (xchg(&lock, 1))
		__asm__ __volatile__("pause");
#elif LOCK == 2
	while (cmpxchg(&lock, 0, 1))
		__asm__ __volatile__("rep; nop" : : : "memory");
#elif LOCK == 3
	while (!try_cmpxchg(&lock, 0, 1))
		;
#endif
}

static void *thread(void *arg)
{
	acquire();
	data++;
#if LOCK
	xchg(&lock, 0);
#endif
	xadd(&count, 2);
	return 0;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, thread, 0);
	pthread_create(&b, 0, thread, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	assert(data == 2 && count == 4);
	assert(xadd(&count, 5) == 4 && xchg(&count, 2) == 9);
	assert(cmpxchg(&count, 3, 7) == 2 && count == 2 && cmpxchg(&count, 2, 7) == 2 && count == 7);
	assert(!try_cmpxchg(&count, 3, 1) && try_cmpxchg(&count, 7, 2));
	assert(!dec_and_test(&count) && dec_and_test(&count) && count == 0);
	__asm__ __volatile__("lock; addq %1, %0" : "+m"(wide) : "r"(1l << 40) : "memory");
	__asm__ __volatile__("lock; orb $5, %0" : "+m"(byte) : : "memory");
	__asm__ __volatile__("lock; incl %0" : "+m"(count) : : "memory");
	assert(wide == 1l << 40 && byte == 5 && count == 1);
	return 0;
}
