// What every file of the runtime library shares: the machine's intrinsics, and short names
// for the atomic operations. The library is freestanding: no system header is included, so
// that runtime.ll does not depend on the C library of the machine that generated it. The
// layouts are glibc's on x86-64 and i386, because programs are compiled against its headers.
#ifndef RAVEL_RT_H
#define RAVEL_RT_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
#if __SIZEOF_POINTER__ == 8
typedef unsigned long u64;
typedef unsigned __int128 u128;
#else
typedef unsigned long long u64 __attribute__((aligned(8))); // as accesses of 8 bytes in one piece want it
#endif
typedef long long i64;
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ssize_t;

#define NULL ((void *)0)

// In programs of 32 bits, size_t is unsigned int, streamsize is int, and chrono counts in long long.
#if __SIZEOF_POINTER__ == 4
#define _Znwm _Znwj
#define _Znam _Znaj
#define _ZnwmRKSt9nothrow_t _ZnwjRKSt9nothrow_t
#define _ZnamRKSt9nothrow_t _ZnajRKSt9nothrow_t
#define _ZnwmSt11align_val_t _ZnwjSt11align_val_t
#define _ZnamSt11align_val_t _ZnajSt11align_val_t
#define _ZnwmSt11align_val_tRKSt9nothrow_t _ZnwjSt11align_val_tRKSt9nothrow_t
#define _ZnamSt11align_val_tRKSt9nothrow_t _ZnajSt11align_val_tRKSt9nothrow_t
#define _ZdlPvm _ZdlPvj
#define _ZdaPvm _ZdaPvj
#define _ZdlPvmSt11align_val_t _ZdlPvjSt11align_val_t
#define _ZdaPvmSt11align_val_t _ZdaPvjSt11align_val_t
#define _ZSt11_Hash_bytesPKvmm _ZSt11_Hash_bytesPKvjj
#define _ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm _ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEj
#define _ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm _ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEjjj
#define _ZNSo5writeEPKcl _ZNSo5writeEPKci
#define _ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l _ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_i
#define _ZNSt28__atomic_futex_unsigned_base19_M_futex_wait_untilEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE _ZNSt28__atomic_futex_unsigned_base19_M_futex_wait_untilEPjjbNSt6chrono8durationIxSt5ratioILx1ELx1EEEENS2_IxS3_ILx1ELx1000000000EEEE
#define _ZNSt28__atomic_futex_unsigned_base26_M_futex_wait_until_steadyEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE _ZNSt28__atomic_futex_unsigned_base26_M_futex_wait_until_steadyEPjjbNSt6chrono8durationIxSt5ratioILx1ELx1EEEENS2_IxS3_ILx1ELx1000000000EEEE
#endif

// Everything else stays a call: see gen.
#define INLINE static inline __attribute__((always_inline))

// Intrinsics of the machine (internal/machine/builtins.go).
u64 __ravel_create(void *(*fn)(void *), void *arg);
u64 __ravel_next(void); // what the next __ravel_create of this thread returns
void *__ravel_join(u64 tid);
u64 __ravel_self(void);
u64 __ravel_owner(void); // __ravel_self for lock words, which threads only compare with their own
_Noreturn void __ravel_exit(void *result);
void __ravel_assume(int c);
void __ravel_spin_end(int c);
void __ravel_redundant(void);
void __ravel_put(u64 word); // a character is printed: nothing happens
// Functions of words (internal/machine/number.go): characters of a formatted number, the number that characters denote, a byte that never changes.
u64 __ravel_format(u64 value, u64 spec, u64 word);
u64 __ravel_parse(u64 size, u64 w, ...);
i64 __ravel_constant(const char *p); // -1: it may change
// The fetch-and-add of 1 with which a thread arrives at a barrier of n threads. It acquires and releases.
u32 __ravel_arrive(u32 *arrived, u32 n);
// An RMW that adds n to the word, unless the word is except; then it is only a relaxed read. It acquires, and returns what the word was.
u32 __ravel_add_unless(u32 *word, u32 n, u32 except);
long __ravel_add_unless_long(long *word, long n, long except);
u32 __ravel_choose(u32 n);
// __ravel_spurious(2) is 1 if the wait that begins is to end spuriously. The thread then says __ravel_spurious(1) when it is awake and holds the mutex again.
u32 __ravel_spurious(u32 n);
// __ravel_timed(3) is the same for a wait with a timeout: 1 if it is to time out, 2 if it is to end spuriously. Then the thread says __ravel_timed(1). __ravel_timed(2) is
// for waits that do not end spuriously.
u32 __ravel_timed(u32 n);
// __ravel_if_NAME is __ravel_NAME in programs that need it, and 0 in others (frontend/llvm/optional.go).
u32 __ravel_if_cancellable(void);     // 1: the program cancels threads (cancel.c)
u32 __ravel_if_cancelled(void);       // a request to cancel this thread is pending (cancel.c)
void __ravel_if_cleanups(void *result); // runs the thread's cleanup handlers, if there are any, and does not return then (jump.c)
// C++'s operator new and delete (cxx.c): what code of the program deletes, or what it newed.
void *_Znwm(size_t n);
void _ZdlPv(void *p);

// How memory is allocated: zeroed, and by which family of functions (machine.Family).
#define ZEROED 1
#define FAMILY(f) ((f) << 1)
enum { MALLOC, NEW, NEW_ARRAY, NEW_ALIGNED, NEW_ARRAY_ALIGNED, MAPPED };
void *__ravel_alloc(u64 size, int how);
void *__ravel_alloc_aligned(u64 size, int how, u64 align);
void __ravel_free(void *p, int family, u64 size); // size plus 1, or 0 if it is not known
u64 __ravel_size(void *p);
_Noreturn void __ravel_error(const char *kind, const char *message);
// The same about what the thread has read at word. The second line of the message says what the place is marked
// with where that was written.
_Noreturn void __ravel_error_at(const char *kind, const char *message, const void *word);
// The same with a message that ends with the characters in the words, up to a zero. If the message has a second line, the first word is
// the address that __ravel_error_at has.
_Noreturn void __ravel_error_text(const char *kind, const char *message, u64 w, ...);

#define rlx __ATOMIC_RELAXED
#define acq __ATOMIC_ACQUIRE
#define rel __ATOMIC_RELEASE
#define acqrel __ATOMIC_ACQ_REL
#define sc __ATOMIC_SEQ_CST

#define load(p, mode) __atomic_load_n(p, mode)
#define store(p, v, mode) __atomic_store_n(p, v, mode)
// cas returns whether *p was *old and is now v; if not, *old is what was there.
#define cas(p, old, v, mode, fail) __atomic_compare_exchange_n(p, old, v, 0, mode, fail)

// A wrong use of the API, by the program under test.
#define misuse(message) __ravel_error("call", message)
#define misuse_of(word, message, mark) __ravel_error_at("call", message "\n" mark, word)

// me is a thread's name in lock words: never 0.
#define me() ((u32)__ravel_owner() + 1)

// The word of a mutex, a read-write lock or a semaphore, or the size of a barrier, that was destroyed.
#define DESTROYED 0xffffffffu

// is_static tells whether p points to a global variable, which is 0 before it is initialised: other memory can't be
// asked. An address has its owner and its slot above these bits (internal/event/addr.go); globals have no owner.
#if __SIZEOF_POINTER__ == 8
#define OWNER_BIT 37
#define SLOT_BIT 16
#else
#define OWNER_BIT 26
#define SLOT_BIT 12
#endif
#define is_static(p) ((u64)(p) >> OWNER_BIT == 0)

// at reads a character, without an event if it is constant.
static char at(const char *p)
{
	i64 c = __ravel_constant(p);
	return c < 0 ? *p : c;
}

// redundant ends an execution that another one stands for: same outcome, fewer events.
#define redundant() __ravel_redundant()

// errno values of Linux.
enum {
	EPERM = 1,
	EINTR = 4,
	EAGAIN = 11,
	ENOMEM = 12,
	EBUSY = 16,
	EINVAL = 22,
	ERANGE = 34,
	EDEADLK = 35,
	EOVERFLOW = 75,
	ETIMEDOUT = 110,
};

int *__errno_location(void);
#define errno (*__errno_location())

typedef size_t pthread_t;

// start has a thread run fn(arg). Its name is stored before it starts, so that it may read it there (C11 7.26.5.1, [thread.thread.constr]; for
// pthread_create, which does not promise it, programs rely on it).
INLINE void start(pthread_t *t, void *(*fn)(void *), void *arg)
{
	*t = __ravel_next() + 1;
	__ravel_create(fn, arg);
}

// glibc's pthread_mutex_t. mtx_t and the mutex in std::mutex are the same thing.
typedef struct {
	u32 lock;
	u32 count;
	u32 owner;
#if __SIZEOF_POINTER__ == 8
	u32 nusers;
	u32 kind;
#else
	u32 kind;
	u32 nusers;
#endif
} mutex;

// What cond.c keeps in a pthread_cond_t, a cnd_t or a std::condition_variable.
typedef struct {
	unsigned long waiting; // set of the numbers of the threads that wait
} cond;

typedef struct {
	long sec, nsec;
} timespec;

// Functions that one file of the library has and another one uses.
u64 __ravel_joinable(pthread_t t); // the number of a thread that the caller is about to join
void __ravel_detach(u64 tid);      // nobody may join the thread
int pthread_detach(pthread_t t);
i64 __ravel_now(void);          // nanoseconds since the epoch
void __ravel_passed(i64 ns);    // a wait until then has timed out
void __ravel_in_time(void);      // a wait with a timeout has not: the next look at the clock finds no time passed
i64 __ravel_nanoseconds(const timespec *t);
void *malloc(size_t n);
void free(void *p);
size_t strlen(const char *s);
int pthread_mutex_init(mutex *m, const u32 *attr);
int pthread_mutex_destroy(mutex *m);
int pthread_mutex_lock(mutex *m);
int pthread_mutex_trylock(mutex *m);
int pthread_mutex_timedlock(mutex *m, const void *until);
int pthread_mutex_unlock(mutex *m);
int pthread_spin_lock(u32 *l);
int pthread_spin_unlock(u32 *l);
int pthread_cond_init(cond *c, const void *attr);
int pthread_cond_destroy(cond *c);
int pthread_cond_wait(cond *c, mutex *m);
int __ravel_cond_wait(cond *c, mutex *m, int spurious); // without __ravel_spurious
int pthread_cond_timedwait(cond *c, mutex *m, const void *until);
int pthread_cond_signal(cond *c);
int pthread_cond_broadcast(cond *c);
int pthread_once(u32 *once, void (*fn)(void));
int pthread_key_create(u32 *key, void (*d)(void *));
int pthread_key_delete(u32 key);
void *pthread_getspecific(u32 key);
int pthread_setspecific(u32 key, const void *v);
_Noreturn void pthread_exit(void *result);
void ravel_atomic_begin(void);
void ravel_atomic_end(void);

#define CANCELED ((void *)-1)
// A thread ends here if it was cancelled.
INLINE void cancellation_point(void)
{
	if (__ravel_if_cancelled())
		pthread_exit(CANCELED);
}
#endif
