// Message passing by the instructions of five processors. -DNOFENCE leaves the fences out.
#include "threads.h"

static int data, flag;

#if defined __x86_64__
#define STORE(p, v) __asm__ volatile("movl %1, %0" : "=m"(*(p)) : "ri"(v) : "memory")
#define LOAD(r, p) __asm__ volatile("movl %1, %0" : "=r"(r) : "m"(*(p)) : "memory")
#define FENCE_W "sfence"
#define FENCE_R "lfence"
#elif defined __aarch64__
#define STORE(p, v) __asm__ volatile("str %w1, %0" : "=Q"(*(p)) : "r"(v) : "memory")
#define LOAD(r, p) __asm__ volatile("ldr %w0, %1" : "=r"(r) : "Q"(*(p)) : "memory")
#define FENCE_W "dmb ishst"
#define FENCE_R "dmb ishld"
#elif defined __arm__
#define STORE(p, v) __asm__ volatile("str %1, [%0]" : : "r"(p), "r"(v) : "memory")
#define LOAD(r, p) __asm__ volatile("ldr %0, [%1]" : "=r"(r) : "r"(p) : "memory")
#define FENCE_W "dmb ishst"
#define FENCE_R "dmb ish"
#elif defined __powerpc64__
#define STORE(p, v) __asm__ volatile("stw%U0%X0 %1, %0" : "=m"(*(p)) : "r"(v) : "memory")
#define LOAD(r, p) __asm__ volatile("lwz%U1%X1 %0, %1" : "=r"(r) : "m"(*(p)) : "memory")
#define FENCE_W "lwsync"
#define FENCE_R "lwsync"
#elif defined __riscv
#define STORE(p, v) __asm__ volatile("sw %z1, %0" : "=m"(*(p)) : "rJ"(v) : "memory")
#define LOAD(r, p) __asm__ volatile("lw %0, %1" : "=r"(r) : "m"(*(p)) : "memory")
#define FENCE_W "fence w, w"
#define FENCE_R "fence r, r"
#endif

#ifdef NOFENCE
#define fence(x) __asm__ volatile("" ::: "memory")
#else
#define fence(x) __asm__ volatile(x ::: "memory")
#endif

static void *writer(void *arg)
{
	STORE(&data, 1);
	fence(FENCE_W);
	STORE(&flag, 1);
	return arg;
}

int main(void)
{
	unsigned long t;
	int f, d;
	pthread_create(&t, 0, writer, 0);
	LOAD(f, &flag);
	fence(FENCE_R);
	LOAD(d, &data);
	check(!f || d == 1);
	pthread_join(t, 0);
	return 0;
}
