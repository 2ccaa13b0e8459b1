#pragma once

#define barrier() __asm__ __volatile__("" ::: "memory")
#define smp_rmb() __asm__ __volatile__("dmb ishld" ::: "memory")
#define smp_wmb() __asm__ __volatile__("dmb ishst" ::: "memory")
#define cpu_relax() __asm__ __volatile__("yield" ::: "memory")

static inline unsigned fetch_inc(unsigned *p)
{
	unsigned old, new, failed;
	__asm__ __volatile__("1:	ldaxr	%w0, %3\n"
			     "	add	%w1, %w0, #1\n"
			     "	stxr	%w2, %w1, %3\n"
			     "	cbnz	%w2, 1b\n"
			     : "=&r"(old), "=&r"(new), "=&r"(failed), "+Q"(*p) : : "memory");
	return old;
}

static inline unsigned load_acquire(const unsigned *p)
{
	unsigned v;
	__asm__ __volatile__("ldar %w0, %1" : "=r"(v) : "Q"(*p) : "memory");
	return v;
}

static inline void store_release(unsigned *p, unsigned v)
{
#ifdef WRONG // as on x86, where every store releases
	__asm__ __volatile__("str %w1, %0" : "=Q"(*p) : "r"(v) : "memory");
#else
	__asm__ __volatile__("stlr %w1, %0" : "=Q"(*p) : "r"(v) : "memory");
#endif
}
