// x86 reorders a store with a later load only: these are for the compiler.
#pragma once

#define barrier() __asm__ __volatile__("" ::: "memory")
#define smp_rmb() barrier()
#define smp_wmb() barrier()
#define cpu_relax() __asm__ __volatile__("pause" ::: "memory")

static inline unsigned fetch_inc(unsigned *p)
{
	unsigned old = 1;
	__asm__ __volatile__("lock; xaddl %0, %1" : "+r"(old), "+m"(*p) : : "memory", "cc");
	return old;
}

static inline unsigned load_acquire(const unsigned *p)
{
	unsigned v;
	__asm__ __volatile__("movl %1, %0" : "=r"(v) : "m"(*p) : "memory");
	return v;
}

static inline void store_release(unsigned *p, unsigned v)
{
	__asm__ __volatile__("movl %1, %0" : "=m"(*p) : "r"(v) : "memory");
}
