// lkmm.h: the Linux kernel's memory accesses, barriers, atomics, locks and RCU for programs under test.
//
// Under --model lkmm these are what the kernel's documentation says (memory-barriers.txt, atomic_t.txt). Under the models
// of architectures they are what the kernel has there: smp_mb() is dmb ish, sync, fence rw,rw and so on. RCU and SRCU
// are known to lkmm only. Threads are those of pthread.h.
#ifndef RAVEL_LKMM_H
#define RAVEL_LKMM_H

#include <assert.h>
#include <stdlib.h>

// Accesses.
#define READ_ONCE(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, v) __atomic_store_n(&(x), (v), __ATOMIC_RELAXED)
#define smp_load_acquire(p) __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define smp_store_release(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)
#define smp_store_mb(x, v)        \
	do {                      \
		WRITE_ONCE(x, v); \
		smp_mb();         \
	} while (0)

// Barriers.
#define __lkmm_asm(text) __asm__ __volatile__(text ::: "memory")
#define barrier() __lkmm_asm("# barrier")
#define smp_mb() __lkmm_asm("smp_mb")
#define smp_rmb() __lkmm_asm("smp_rmb")
#define smp_wmb() __lkmm_asm("smp_wmb")
#define mb() smp_mb()
#define rmb() smp_rmb()
#define wmb() smp_wmb()
#define smp_mb__before_atomic() __lkmm_asm("before_atomic")
#define smp_mb__after_atomic() __lkmm_asm("after_atomic")
#define smp_mb__after_spinlock() __lkmm_asm("after_spinlock")
#define smp_mb__after_unlock_lock() __lkmm_asm("after_unlock_lock")
#define smp_mb__after_srcu_read_unlock() __lkmm_asm("after_srcu_read_unlock")
#define smp_acquire__after_ctrl_dep() smp_rmb()
#define smp_read_barrier_depends() ((void)0)
#define cpu_relax() barrier()
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

// Waits until cond, about VAL, which is *ptr, is true, and returns that value.
#define __lkmm_wait(load, ptr, cond)               \
	({                                         \
		__typeof__(*(ptr) + 0) VAL;        \
		for (;;) {                         \
			VAL = load;                \
			if (cond)                  \
				break;             \
			cpu_relax();               \
		}                                  \
		VAL;                               \
	})
#define smp_cond_load_relaxed(ptr, cond) __lkmm_wait(READ_ONCE(*(ptr)), ptr, cond)
#define smp_cond_load_acquire(ptr, cond) __lkmm_wait(smp_load_acquire(ptr), ptr, cond)
#define atomic_cond_read_relaxed(v, cond) smp_cond_load_relaxed(&(v)->counter, cond)
#define atomic_cond_read_acquire(v, cond) smp_cond_load_acquire(&(v)->counter, cond)

// Read-modify-writes of any integer or pointer. Those without a suffix are ordered with everything if they succeed; one that fails is
// never ordered.
#define __lkmm_full(call)                             \
	({                                            \
		__lkmm_asm("ravel_access full");      \
		(call);                               \
	})
#define __lkmm_cas(p, o, n, mode)                                                                        \
	({                                                                                               \
		__typeof__(*(p)) __old = (o);                                                            \
		__typeof__(*(p)) __new = (n);                                                            \
		__typeof__(p) __p = (p);                                                                 \
		__atomic_compare_exchange_n(__p, &__old, __new, 0, mode, __ATOMIC_RELAXED);              \
		__old;                                                                                   \
	})
#define __lkmm_cas_full(p, o, n)                                                                         \
	({                                                                                               \
		__typeof__(*(p)) __old = (o);                                                            \
		__typeof__(*(p)) __new = (n);                                                            \
		__typeof__(p) __p = (p);                                                                 \
		__lkmm_asm("ravel_access full");                                                         \
		__atomic_compare_exchange_n(__p, &__old, __new, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);  \
		__old;                                                                                   \
	})
#define xchg_relaxed(p, v) __atomic_exchange_n((p), (v), __ATOMIC_RELAXED)
#define xchg_acquire(p, v) __atomic_exchange_n((p), (v), __ATOMIC_ACQUIRE)
#define xchg_release(p, v) __atomic_exchange_n((p), (v), __ATOMIC_RELEASE)
#define xchg(p, v)                                                             \
	({                                                                     \
		__typeof__(*(p)) __new = (v);                                  \
		__typeof__(p) __p = (p);                                       \
		__lkmm_full(__atomic_exchange_n(__p, __new, __ATOMIC_SEQ_CST)); \
	})
#define cmpxchg_relaxed(p, o, n) __lkmm_cas(p, o, n, __ATOMIC_RELAXED)
#define cmpxchg_acquire(p, o, n) __lkmm_cas(p, o, n, __ATOMIC_ACQUIRE)
#define cmpxchg_release(p, o, n) __lkmm_cas(p, o, n, __ATOMIC_RELEASE)
#define cmpxchg(p, o, n) __lkmm_cas_full(p, o, n)
#define __lkmm_try(p, o, call)                               \
	({                                                   \
		__typeof__(o) __o = (o);                     \
		__typeof__(*(p)) __was = *__o, __is = call;  \
		int __done = __is == __was;                  \
		if (!__done)                                 \
			*__o = __is;                         \
		__done;                                      \
	})
#define try_cmpxchg_relaxed(p, o, n) __lkmm_try(p, o, cmpxchg_relaxed(p, __was, n))
#define try_cmpxchg_acquire(p, o, n) __lkmm_try(p, o, cmpxchg_acquire(p, __was, n))
#define try_cmpxchg_release(p, o, n) __lkmm_try(p, o, cmpxchg_release(p, __was, n))
#define try_cmpxchg(p, o, n) __lkmm_try(p, o, cmpxchg(p, __was, n))

// atomic_t, atomic64_t and atomic_long_t.
typedef struct { int counter; } atomic_t;
typedef struct { long counter; } atomic64_t;
typedef atomic64_t atomic_long_t;
#define ATOMIC_INIT(i) { (i) }
#define ATOMIC64_INIT(i) { (i) }
#define ATOMIC_LONG_INIT(i) { (i) }

// Errors are reported where these are called.
#define __LKMM_FN static inline __attribute__((always_inline, nodebug, unused))

// The operation op of atomic type T with numbers of type I, in its four orders: the old and the new value.
#define __LKMM_OP4(T, I, pre, op, builtin, expr)                                                                              \
	__LKMM_FN I pre##_fetch_##op##_relaxed(I i, T *v) { return builtin(&v->counter, i, __ATOMIC_RELAXED); }               \
	__LKMM_FN I pre##_fetch_##op##_acquire(I i, T *v) { return builtin(&v->counter, i, __ATOMIC_ACQUIRE); }               \
	__LKMM_FN I pre##_fetch_##op##_release(I i, T *v) { return builtin(&v->counter, i, __ATOMIC_RELEASE); }               \
	__LKMM_FN I pre##_fetch_##op(I i, T *v) { return __lkmm_full(builtin(&v->counter, i, __ATOMIC_SEQ_CST)); }            \
	__LKMM_FN void pre##_##op(I i, T *v)                                                                                  \
	{                                                                                                                     \
		__lkmm_asm("ravel_access noreturn");                                                                          \
		builtin(&v->counter, i, __ATOMIC_RELAXED);                                                                    \
	}
#define __LKMM_RETURN(T, I, pre, op, sign)                                                                        \
	__LKMM_FN I pre##_##op##_return_relaxed(I i, T *v) { return pre##_fetch_##op##_relaxed(i, v) sign i; }    \
	__LKMM_FN I pre##_##op##_return_acquire(I i, T *v) { return pre##_fetch_##op##_acquire(i, v) sign i; }    \
	__LKMM_FN I pre##_##op##_return_release(I i, T *v) { return pre##_fetch_##op##_release(i, v) sign i; }    \
	__LKMM_FN I pre##_##op##_return(I i, T *v) { return pre##_fetch_##op(i, v) sign i; }
#define __LKMM_ONE(T, I, pre, name, op, sign)                                                                \
	__LKMM_FN void pre##_##name(T *v) { pre##_##op(1, v); }                                              \
	__LKMM_FN I pre##_fetch_##name(T *v) { return pre##_fetch_##op(1, v); }                              \
	__LKMM_FN I pre##_fetch_##name##_relaxed(T *v) { return pre##_fetch_##op##_relaxed(1, v); }          \
	__LKMM_FN I pre##_fetch_##name##_acquire(T *v) { return pre##_fetch_##op##_acquire(1, v); }          \
	__LKMM_FN I pre##_fetch_##name##_release(T *v) { return pre##_fetch_##op##_release(1, v); }          \
	__LKMM_FN I pre##_##name##_return(T *v) { return pre##_fetch_##op(1, v) sign 1; }                    \
	__LKMM_FN I pre##_##name##_return_relaxed(T *v) { return pre##_fetch_##op##_relaxed(1, v) sign 1; }  \
	__LKMM_FN I pre##_##name##_return_acquire(T *v) { return pre##_fetch_##op##_acquire(1, v) sign 1; }  \
	__LKMM_FN I pre##_##name##_return_release(T *v) { return pre##_fetch_##op##_release(1, v) sign 1; }  \
	__LKMM_FN int pre##_##name##_and_test(T *v) { return pre##_##name##_return(v) == 0; }
// A conditional operation is a loop of compare-and-swaps, as the kernel has it.
#define __LKMM_UNLESS(T, I, pre, name, params, test, change)                        \
	__LKMM_FN int pre##_##name params                                           \
	{                                                                           \
		I c = pre##_read(v), old;                                           \
		for (;;) {                                                          \
			if (!(test))                                                \
				return 0;                                           \
			old = pre##_cmpxchg(v, c, change);                          \
			if (old == c)                                               \
				return 1;                                           \
			c = old;                                                    \
		}                                                                   \
	}
#define __LKMM_ATOMIC(T, I, pre)                                                                                         \
	__LKMM_FN I pre##_read(const T *v) { return READ_ONCE(v->counter); }                                             \
	__LKMM_FN I pre##_read_acquire(const T *v) { return smp_load_acquire(&v->counter); }                             \
	__LKMM_FN void pre##_set(T *v, I i) { WRITE_ONCE(v->counter, i); }                                               \
	__LKMM_FN void pre##_set_release(T *v, I i) { smp_store_release(&v->counter, i); }                               \
	__LKMM_OP4(T, I, pre, add, __atomic_fetch_add, +)                                                                \
	__LKMM_OP4(T, I, pre, sub, __atomic_fetch_sub, -)                                                                \
	__LKMM_OP4(T, I, pre, and, __atomic_fetch_and, &)                                                                \
	__LKMM_OP4(T, I, pre, or, __atomic_fetch_or, |)                                                                  \
	__LKMM_OP4(T, I, pre, xor, __atomic_fetch_xor, ^)                                                                \
	__LKMM_FN void pre##_andnot(I i, T *v) { pre##_and(~i, v); }                                                     \
	__LKMM_FN I pre##_fetch_andnot(I i, T *v) { return pre##_fetch_and(~i, v); }                                     \
	__LKMM_FN I pre##_fetch_andnot_relaxed(I i, T *v) { return pre##_fetch_and_relaxed(~i, v); }                     \
	__LKMM_FN I pre##_fetch_andnot_acquire(I i, T *v) { return pre##_fetch_and_acquire(~i, v); }                     \
	__LKMM_FN I pre##_fetch_andnot_release(I i, T *v) { return pre##_fetch_and_release(~i, v); }                     \
	__LKMM_RETURN(T, I, pre, add, +)                                                                                 \
	__LKMM_RETURN(T, I, pre, sub, -)                                                                                 \
	__LKMM_ONE(T, I, pre, inc, add, +)                                                                               \
	__LKMM_ONE(T, I, pre, dec, sub, -)                                                                               \
	__LKMM_FN int pre##_sub_and_test(I i, T *v) { return pre##_sub_return(i, v) == 0; }                              \
	__LKMM_FN int pre##_add_negative(I i, T *v) { return pre##_add_return(i, v) < 0; }                               \
	__LKMM_FN I pre##_xchg(T *v, I i) { return xchg(&v->counter, i); }                                               \
	__LKMM_FN I pre##_xchg_relaxed(T *v, I i) { return xchg_relaxed(&v->counter, i); }                               \
	__LKMM_FN I pre##_xchg_acquire(T *v, I i) { return xchg_acquire(&v->counter, i); }                               \
	__LKMM_FN I pre##_xchg_release(T *v, I i) { return xchg_release(&v->counter, i); }                               \
	__LKMM_FN I pre##_cmpxchg(T *v, I o, I n) { return cmpxchg(&v->counter, o, n); }                                 \
	__LKMM_FN I pre##_cmpxchg_relaxed(T *v, I o, I n) { return cmpxchg_relaxed(&v->counter, o, n); }                 \
	__LKMM_FN I pre##_cmpxchg_acquire(T *v, I o, I n) { return cmpxchg_acquire(&v->counter, o, n); }                 \
	__LKMM_FN I pre##_cmpxchg_release(T *v, I o, I n) { return cmpxchg_release(&v->counter, o, n); }                 \
	__LKMM_FN int pre##_try_cmpxchg(T *v, I *o, I n) { return try_cmpxchg(&v->counter, o, n); }                      \
	__LKMM_FN int pre##_try_cmpxchg_relaxed(T *v, I *o, I n) { return try_cmpxchg_relaxed(&v->counter, o, n); }      \
	__LKMM_FN int pre##_try_cmpxchg_acquire(T *v, I *o, I n) { return try_cmpxchg_acquire(&v->counter, o, n); }      \
	__LKMM_FN int pre##_try_cmpxchg_release(T *v, I *o, I n) { return try_cmpxchg_release(&v->counter, o, n); }      \
	__LKMM_UNLESS(T, I, pre, add_unless, (T * v, I a, I u), c != u, c + a)                                           \
	__LKMM_UNLESS(T, I, pre, inc_not_zero, (T * v), c != 0, c + 1)                                                   \
	__LKMM_UNLESS(T, I, pre, inc_unless_negative, (T * v), c >= 0, c + 1)                                            \
	__LKMM_UNLESS(T, I, pre, dec_unless_positive, (T * v), c <= 0, c - 1)                                            \
	__LKMM_FN I pre##_fetch_add_unless(T *v, I a, I u)                                                               \
	{                                                                                                                \
		I c = pre##_read(v), old;                                                                                \
		while (c != u && (old = pre##_cmpxchg(v, c, c + a)) != c)                                                \
			c = old;                                                                                         \
		return c;                                                                                                \
	}                                                                                                                \
	__LKMM_FN I pre##_dec_if_positive(T *v)                                                                          \
	{                                                                                                                \
		I c = pre##_read(v), old;                                                                                \
		while (c > 0 && (old = pre##_cmpxchg(v, c, c - 1)) != c)                                                 \
			c = old;                                                                                         \
		return c - 1;                                                                                            \
	}
__LKMM_ATOMIC(atomic_t, int, atomic)
__LKMM_ATOMIC(atomic64_t, long, atomic64)
__LKMM_ATOMIC(atomic_long_t, long, atomic_long)

// Spin locks, the kernel's model of them: an acquire read-modify-write that waits, and a release store.
typedef struct { int locked; } spinlock_t;
#define DEFINE_SPINLOCK(x) spinlock_t x = { 0 }
#define __SPIN_LOCK_UNLOCKED(x) { 0 }
#define spin_lock_init(l) WRITE_ONCE((l)->locked, 0)
__LKMM_FN int spin_trylock(spinlock_t *l)
{
	int old = 0;
	__lkmm_asm("ravel_access lock");
	return __atomic_compare_exchange_n(&l->locked, &old, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}
__LKMM_FN void spin_lock(spinlock_t *l)
{
	while (!spin_trylock(l))
		;
}
__LKMM_FN void spin_unlock(spinlock_t *l)
{
	__lkmm_asm("ravel_access unlock");
	__atomic_store_n(&l->locked, 0, __ATOMIC_RELEASE);
}
__LKMM_FN int spin_is_locked(spinlock_t *l) { return READ_ONCE(l->locked) != 0; }
// There are no interrupts.
#define spin_lock_irqsave(l, flags) ((flags) = 0, spin_lock(l))
#define spin_unlock_irqrestore(l, flags) ((void)(flags), spin_unlock(l))
#define spin_lock_irq(l) spin_lock(l)
#define spin_unlock_irq(l) spin_unlock(l)
#define spin_lock_bh(l) spin_lock(l)
#define spin_unlock_bh(l) spin_unlock(l)

// Wrong states, as assertions say them.
#define BUG_ON(condition) assert(!(condition))
#define WARN_ON(condition) assert(!(condition))
#define WARN_ON_ONCE(condition) assert(!(condition))
#define BUG() assert(!"BUG")

// RCU. A grace period waits for the read-side critical sections that began before it.
#define rcu_read_lock() __lkmm_asm("rcu_read_lock")
#define rcu_read_unlock() __lkmm_asm("rcu_read_unlock")
#define synchronize_rcu() __lkmm_asm("synchronize_rcu")
#define synchronize_rcu_expedited() synchronize_rcu()
#define rcu_dereference(p) READ_ONCE(p)
#define rcu_dereference_raw(p) READ_ONCE(p)
#define rcu_dereference_check(p, c) READ_ONCE(p)
#define rcu_dereference_protected(p, c) (p)
#define rcu_access_pointer(p) READ_ONCE(p)
#define rcu_assign_pointer(p, v) smp_store_release(&(p), (v))
#define RCU_INIT_POINTER(p, v) WRITE_ONCE(p, v)

// SRCU: what srcu_read_lock returns is for srcu_read_unlock, in the same thread or, as srcu_down_read and srcu_up_read, in another one.
struct srcu_struct { int unused; };
#define DEFINE_SRCU(x) struct srcu_struct x
#define DEFINE_STATIC_SRCU(x) static struct srcu_struct x
#ifdef __cplusplus
extern "C" {
#endif
int __ravel_srcu_read_lock(struct srcu_struct *);
void __ravel_srcu_read_unlock(struct srcu_struct *, int);
void __ravel_synchronize_srcu(struct srcu_struct *);
#ifdef __cplusplus
}
#endif
#define srcu_read_lock(s) __ravel_srcu_read_lock(s)
#define srcu_read_unlock(s, i) __ravel_srcu_read_unlock(s, i)
#define srcu_down_read(s) __ravel_srcu_read_lock(s)
#define srcu_up_read(s, i) __ravel_srcu_read_unlock(s, i)
#define synchronize_srcu(s) __ravel_synchronize_srcu(s)
#define synchronize_srcu_expedited(s) synchronize_srcu(s)

// The heap, without what the kernel's flags are about.
#define GFP_KERNEL 0
#define GFP_ATOMIC 0
#define kmalloc(size, flags) malloc(size)
#define kzalloc(size, flags) calloc(1, size)
#define kfree(p) free(p)

#endif
