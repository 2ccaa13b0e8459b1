// What Rust's panics are reported with. core::fmt::write formats the message, into a text of this form.
#include "rt.h"

enum { WORDS = 32 };

typedef struct {
	u64 len;
	u64 word[WORDS]; // whole words: bytes would be accessed in two sizes
} text;

INLINE void add(text *t, u8 c)
{
	if (t->len < 8 * WORDS)
		t->word[t->len / 8] |= (u64)c << t->len % 8 * 8;
	t->len++;
}

_Bool __ravel_rust_write_str(text *t, const u8 *s, u64 len)
{
	for (u64 i = 0; i < len; i++)
		add(t, s[i]);
	return 0;
}

_Bool __ravel_rust_write_char(text *t, u32 c)
{
	if (c < 0x80)
		add(t, c);
	else if (c < 0x800) {
		add(t, 0xc0 | c >> 6);
		add(t, 0x80 | (c & 0x3f));
	} else {
		if (c < 0x10000)
			add(t, 0xe0 | c >> 12);
		else {
			add(t, 0xf0 | c >> 18);
			add(t, 0x80 | (c >> 12 & 0x3f));
		}
		add(t, 0x80 | (c >> 6 & 0x3f));
		add(t, 0x80 | (c & 0x3f));
	}
	return 0;
}

void __ravel_rust_text(text *t)
{
	t->len = 0;
	for (u32 i = 0; i < WORDS; i++)
		t->word[i] = 0;
}

_Noreturn void __ravel_rust_panic(text *t)
{
	const u64 *w = t->word;
	__ravel_error_text("assertion", "the program panics: ", w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11],
		w[12], w[13], w[14], w[15], w[16], w[17], w[18], w[19], w[20], w[21], w[22], w[23], w[24], w[25], w[26], w[27], w[28], w[29],
		w[30], w[31]);
}

// The slow paths of std::sync::RwLock. Its two words are the state and a counter that a writer waits for.
enum {
	LOCKS = (1u << 30) - 1, // the number of readers; WRITTEN is the lock of a writer
	WRITTEN = LOCKS,
	READERS_WAIT = 1u << 30,
};
#define WRITERS_WAIT (1u << 31)

INLINE _Bool is_read(u32 s) { return (s & LOCKS) && (s & LOCKS) != WRITTEN; }

// For each execution in which a thread waits and then gets the lock, there is one in which it comes later and does not wait. So only
// threads that wait for ever are left: for a writer or, as readers do, for a writer that waits.
void __ravel_rust_read_contended(u32 *lock)
{
	u32 s;
	do
		s = load(lock, rlx);
	while ((s & LOCKS) == WRITTEN || s & WRITERS_WAIT);
	if ((s & LOCKS) == WRITTEN - 1)
		misuse("too many active read locks on RwLock");
	redundant();
}

void __ravel_rust_write_contended(u32 *lock)
{
	u32 s;
	do
		s = load(lock, rlx);
	while ((s & LOCKS) == WRITTEN); // readers wait for this too, so they need not know that a writer waits
	if (!is_read(s))
		redundant();
	if (!(s & WRITERS_WAIT) && !cas(lock, &s, s | WRITERS_WAIT, rlx, rlx))
		redundant();
	while (is_read(load(lock, rlx)))
		;
	redundant();
}

// What the last reader does if a writer waits.
void __ravel_rust_readers_gone(void) { redundant(); }

// The same for programs with try_read. It fails if a writer waits, so it makes a difference whether a writer has waited or came
// later. These are as in std, without the loops that spin for a while before they wait.
INLINE void await_change(u32 *word, u32 old)
{
	while (load(word, rlx) == old)
		;
}

void __ravel_rust_read_tried(u32 *lock)
{
	_Bool slept = 0;
	u32 s = load(lock, rlx);
	for (;;) {
		u32 n = s & LOCKS;
		if (n < WRITTEN - 1 && (!(s & (READERS_WAIT | WRITERS_WAIT)) || (slept && n && !(s & READERS_WAIT)))) {
			if (cas(lock, &s, s + 1, acq, rlx))
				return;
			continue;
		}
		if (n == WRITTEN - 1)
			misuse("too many active read locks on RwLock");
		if (!(s & READERS_WAIT) && !cas(lock, &s, s | READERS_WAIT, rlx, rlx))
			continue;
		await_change(lock, s | READERS_WAIT);
		slept = 1;
		s = load(lock, rlx);
	}
}

void __ravel_rust_write_tried(u32 *lock)
{
	u32 others = 0, s = load(lock, rlx);
	for (;;) {
		if (!(s & LOCKS)) {
			if (cas(lock, &s, s | WRITTEN | others, acq, rlx))
				return;
			continue;
		}
		if (!(s & WRITERS_WAIT) && !cas(lock, &s, s | WRITERS_WAIT, rlx, rlx))
			continue;
		others = WRITERS_WAIT;
		u32 seq = load(lock + 1, acq);
		s = load(lock, rlx);
		if (!(s & LOCKS) || !(s & WRITERS_WAIT))
			continue;
		await_change(lock + 1, seq);
		s = load(lock, rlx);
	}
}

// std::sync::Condvar, as in cond.c: its word is the set of waiting threads. The word of the mutex is not 0 if it is locked.
enum { RUST_WAITERS = 32 };

INLINE u32 begin_rust_wait(u32 *set)
{
	u64 t = __ravel_self();
	if (t >= RUST_WAITERS)
		__ravel_error("unsupported", "only the first 32 threads of a program in Rust can wait on a Condvar");
	store(&awake[t], 0, rlx);
	__atomic_fetch_or(set, 1u << t, acqrel);
	return t;
}

INLINE void lock_again(u32 *lock)
{
	u32 w;
	do
		w = 0;
	while (!cas(lock, &w, 1, acq, rlx));
}

static __attribute__((noinline)) void wait_on(u32 *set, u32 *lock, u32 spurious)
{
	u32 t = begin_rust_wait(set);
	store(lock, 0, rel);
	if (!spurious) {
		while (!load(&awake[t], rlx))
			;
		lock_again(lock);
		return;
	}
	lock_again(lock);
	if (__atomic_exchange_n(&awake[t], 1, rlx) || !(__atomic_fetch_and(set, ~(1u << t), acqrel) & 1u << t))
		redundant();
}

void __ravel_rust_wait(u32 *set, u32 *lock)
{
	u32 spurious = __ravel_spurious(2);
	wait_on(set, lock, spurious);
	if (spurious)
		__ravel_spurious(1);
}

_Bool __ravel_rust_wait_timeout(u32 *set, u32 *lock, i64 seconds, u32 nanoseconds)
{
	if (__ravel_timed(2)) {
		store(lock, 0, rel);
		lock_again(lock);
		__ravel_timed(1);
		__ravel_passed(__ravel_now() + seconds * 1000000000 + nanoseconds);
		return 0;
	}
	__ravel_in_time();
	u32 t = begin_rust_wait(set);
	store(lock, 0, rel);
	__ravel_assume(load(&awake[t], rlx));
	lock_again(lock);
	return 1;
}

void __ravel_rust_notify_one(u32 *set)
{
	u32 all = load(set, rlx), rest = all, n = __builtin_popcount(all);
	if (!all)
		return;
	if (n > 1)
		for (u32 skip = __ravel_choose(n); skip; skip--)
			rest &= rest - 1;
	u32 t = __builtin_ctz(rest);
	if (!cas(set, &all, all & ~(1u << t), acqrel, rlx))
		redundant();
	wake(t);
}

void __ravel_rust_notify_all(u32 *set)
{
	u32 all = load(set, rlx);
	if (!all)
		return;
	if (!cas(set, &all, 0, acqrel, rlx))
		redundant();
	for (; all; all &= all - 1)
		wake(__builtin_ctz(all));
}

// Threads of std::thread::scope. std counts those that run, and the order in which they end would make executions different; here
// the thread that waits looks at one after the other. A thread knows the threads that it started, so those that they
// started are found when they are done. The threads of a scope that has ended are known to be done.
typedef struct scoped {
	const u8 *scope; // std's ScopeData
	struct scoped *started, *next;
	void *(*fn)(void *);
	void *arg;
	u32 done;
	u32 over; // the scope has ended
} scoped;

enum { SCOPE_DATA = 24 }; // bytes

static _Thread_local scoped *self, first;
static _Thread_local const u8 *entered; // the scope that the next thread belongs to

INLINE scoped *current(void) { return self ? self : &first; }

static void *run_scoped(void *arg)
{
	self = arg;
	void *result = self->fn(self->arg);
	store(&self->done, 1, rel);
	return result;
}

// ScopeData::increment_num_running_threads: what a thread does just before it starts another one.
void __ravel_rust_scope_enter(const u8 *scope) { entered = scope; }

int __ravel_rust_create(pthread_t *t, const void *attr, void *(*fn)(void *), void *arg)
{
	if (entered) {
		scoped *s = malloc(sizeof *s), *me = current();
		*s = (scoped){.scope = entered, .next = me->started, .fn = fn, .arg = arg};
		me->started = s;
		entered = NULL;
		fn = run_scoped;
		arg = s;
	}
	start(t, fn, arg);
	return 0;
}

static void await_scoped(scoped *s, const u8 *counter)
{
	for (; s; s = s->next) {
		if ((u64)counter - (u64)s->scope < SCOPE_DATA) {
			while (!load(&s->done, acq))
				;
			s->over = 1;
		}
		if (s->over)
			await_scoped(s->started, counter);
	}
}

// The load of num_running_threads that ends the scope.
u64 __ravel_rust_scope_wait(const u8 *counter)
{
	await_scoped(current()->started, counter);
	return 0;
}

// Panics that the program catches. std itself runs threads in a catch_unwind: those catch nothing here, so that a panic in a thread is an error.
_Noreturn void __ravel_unwind(void *e);

static _Thread_local int catching; // how many closures that catch_unwind of the program runs are active

void __ravel_rust_try(int n) { catching += n; }
_Bool __ravel_rust_catching(void) { return catching > 0; }

typedef struct unwinding {
	u64 class;
	void (*cleanup)(int reason, struct unwinding *e);
} unwinding;

int _Unwind_RaiseException(unwinding *e)
{
	if (!catching)
		__ravel_error("assertion", "the program panics");
	__ravel_unwind(e);
}

void _Unwind_DeleteException(unwinding *e)
{
	if (e->cleanup)
		e->cleanup(1, e);
}
