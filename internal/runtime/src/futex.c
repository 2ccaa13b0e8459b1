// The futex system call, which is what std::atomic::wait, std::counting_semaphore, std::latch,
// std::barrier, std::future and Rust's locks wait with.
//
// A wait announces the thread, then looks at the word; a wake looks for announced threads after
// the program has written the word. Both by an RMW of the same set, so one of them sees what
// the other did before: no wake-up gets lost that the kernel would not lose. In between the kernel has full barriers.
#include "rt.h"

enum { MAX_SLEEPERS = 64, BUCKETS = 16 };

static u64 sleeping[BUCKETS];          // sets of threads, by address
static u32 *sleeps_on[MAX_SLEEPERS];   // the word that a thread sleeps on
static u32 woken[MAX_SLEEPERS];

INLINE u64 *bucket(u32 *word) { return &sleeping[((u64)word / 4 ^ (u64)word >> SLOT_BIT) % BUCKETS]; }

// announce says that the thread is about to sleep on the word. It returns the number of the thread.
INLINE u64 announce(u32 *word)
{
	u64 t = __ravel_self();
	if (t >= MAX_SLEEPERS)
		__ravel_error("unsupported", "only the first 64 threads can wait on a futex");
	store(&woken[t], 0, rlx);
	store(&sleeps_on[t], word, rlx);
	__atomic_fetch_or(bucket(word), 1ul << t, acqrel);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return t;
}

// sleep_while blocks while the word is expected, until a wake. It returns 0 or an error number. until is where it may time out, 0: never.
static int sleep_while(u32 *word, u32 expected, i64 until)
{
	if (until) {
		if (__ravel_timed(2)) {
			__ravel_timed(1);
			__ravel_passed(until);
			return ETIMEDOUT;
		}
		__ravel_in_time();
	}
	u64 t = announce(word);
	if (load(word, rlx) != expected) {
		if (__atomic_fetch_and(bucket(word), ~(1ul << t), acqrel) >> t & 1)
			return EAGAIN;
		// Somebody woke the thread in between, which the kernel rules out: an execution in
		// which the thread read the expected value, or began to sleep later, stands for this one.
		redundant();
	}
	if (until) {
		__ravel_assume(load(&woken[t], acq));
		return 0;
	}
	while (!load(&woken[t], acq))
		;
	return 0;
}

// sleepers returns the set for a system call, which is a fence.
INLINE u64 sleepers(u32 *word)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return __atomic_fetch_or(bucket(word), 0, acqrel);
}

// notified returns the set for a notification of C++, which orders nothing if nobody sleeps: the standard only says that it finds who has seen a value from before it. A thread that enters the set later acquires what
// is released here.
INLINE u64 notified(u32 *word)
{
	u64 all = __atomic_fetch_or(bucket(word), 0, rel);
	if (all)
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return all;
}

// wake_on wakes up to n threads that sleep on the word, whichever it likes, and returns how many. looped says that all who sleep look at the value again before they go on.
static u32 wake_on(u32 *word, u32 n, _Bool looped)
{
	u64 all = looped ? notified(word) : sleepers(word), here = 0, chosen = 0;
	for (u64 s = all; s; s &= s - 1)
		if (load(&sleeps_on[__builtin_ctzll(s)], rlx) == word)
			here |= s & -s;
	if (!here)
		return 0;
	u32 k = __builtin_popcountl(here);
	if (k <= n && looped)
		redundant(); // see await_notice
	if (k <= n)
		chosen = here;
	else
		for (u32 i = 0; i < n; i++, k--) {
			u64 s = here;
			for (u32 skip = __ravel_choose(k); skip; skip--)
				s &= s - 1;
			chosen |= s & -s;
			here &= ~(s & -s);
		}
	if (!cas(bucket(word), &all, all & ~chosen, acqrel, rlx))
		redundant();
	u32 count = __builtin_popcountl(chosen);
	for (; chosen; chosen &= chosen - 1)
		store(&woken[__builtin_ctzll(chosen)], 1, rel);
	return count;
}

#if __SIZEOF_POINTER__ == 8
enum { SYS_gettid = 186, SYS_futex = 202 };
#else
enum { SYS_gettid = 224, SYS_futex = 240 };
#endif
enum { FUTEX_WAIT, FUTEX_WAKE, FUTEX_WAIT_BITSET = 9, FUTEX_WAKE_BITSET, FUTEX_COMMAND = 0x7f };

long syscall(long number, u32 *word, size_t op, size_t value, const timespec *timeout, size_t unused, size_t bits)
{
	if (number == SYS_gettid)
		return __ravel_self() + 1;
	if (number != SYS_futex)
		__ravel_error("unsupported", "of the system calls, only futex is modelled");
	switch (op & FUTEX_COMMAND) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET: {
		i64 until = timeout ? __ravel_nanoseconds(timeout) : 0;
		if (until && (op & FUTEX_COMMAND) == FUTEX_WAIT)
			until += __ravel_now(); // it is how long to wait
		int error = sleep_while(word, value, until);
		if (!error)
			return 0;
		errno = error;
		return -1;
	}
	case FUTEX_WAKE:
	case FUTEX_WAKE_BITSET:
		return wake_on(word, value > 0x7fffffff ? 0x7fffffff : value, 0);
	}
	__ravel_error("unsupported", "of the futex operations, only wait and wake are modelled");
}

// __ravel_await is the system call where only the word matters: a wait ends when the word is another one, and nobody has to be woken. The
// front end puts it into Rust's library.
long __ravel_await(long number, u32 *word, size_t op, size_t value, const timespec *timeout, size_t unused, size_t bits)
{
	if (number != SYS_futex)
		return syscall(number, word, op, value, timeout, unused, bits);
	if ((op & FUTEX_COMMAND) != FUTEX_WAIT && (op & FUTEX_COMMAND) != FUTEX_WAIT_BITSET)
		return 0;
	if (!timeout) {
		while (load(word, rlx) == (u32)value)
			;
		return 0;
	}
	if (__ravel_choose(2)) {
		errno = ETIMEDOUT;
		return -1;
	}
	__ravel_assume(load(word, rlx) != (u32)value);
	return 0;
}

_Bool __ravel_no_wake(u32 *word) { return 0; }

// await_notice is for waits of C++, which look at the value again before they go on. A thread that was woken with all others, or that finds another value before it sleeps, might as well have come
// later. So this is there for threads that sleep for ever, and for those that notify_one wakes while others go on sleeping.
static void await_notice(u32 *word, u32 expected)
{
	u64 t = announce(word);
	if (load(word, rlx) != expected)
		redundant();
	while (!load(&woken[t], acq))
		;
}

void _ZNSt8__detail15__platform_waitIiEEvPKT_i(u32 *word, int expected) { await_notice(word, expected); }
void _ZNSt8__detail17__platform_notifyIiEEvPKT_b(u32 *word, _Bool all) { wake_on(word, all ? 0x7fffffff : 1, 1); }

// std::atomic<T>::wait, where the kernel can't wait for a T, counts notifications in one of these instead (libstdc++'s __waiter_pool_base). It chooses by the low bits of the address, which are the same for most
// objects of ravel: atomics that have nothing to do with each other would be ordered by the count.
enum { POOLS = 64 };
static struct {
	_Alignas(128) u32 words[32];
} pools[POOLS];
void *_ZNSt8__detail18__waiter_pool_base6_S_forEPKv(const void *p) { return &pools[((u64)p / 4 ^ (u64)p >> SLOT_BIT) % POOLS]; }

// std::future waits through these. The first returns false when it timed out.
INLINE _Bool await_future(u32 *word, u32 expected, _Bool timed, i64 s, i64 ns)
{
	if (timed)
		return sleep_while(word, expected, s * 1000000000 + ns) != ETIMEDOUT;
	await_notice(word, expected);
	return 1;
}

_Bool _ZNSt28__atomic_futex_unsigned_base19_M_futex_wait_untilEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE(
	void *self, u32 *word, u32 expected, _Bool timed, i64 s, i64 ns)
{
	return await_future(word, expected, timed, s, ns);
}

_Bool _ZNSt28__atomic_futex_unsigned_base26_M_futex_wait_until_steadyEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE(
	void *self, u32 *word, u32 expected, _Bool timed, i64 s, i64 ns)
{
	return await_future(word, expected, timed, s, ns);
}

void _ZNSt28__atomic_futex_unsigned_base19_M_futex_notify_allEPj(u32 *word) { wake_on(word, 0x7fffffff, 1); }

// std::atomic<T>::wait and notify_one count the waiting threads, so that notify_one need not ask the kernel. To C++ it is enough that
// the change of the value happens before notify_one, which need not be ordered before the look at the count: everybody is taken to wait.
void _ZNSt8__detail18__waiter_pool_base13_M_enter_waitEv(void *self) {}
void _ZNSt8__detail18__waiter_pool_base13_M_leave_waitEv(void *self) {}
_Bool _ZNKSt8__detail18__waiter_pool_base10_M_waitingEv(const void *self) { return 1; }
