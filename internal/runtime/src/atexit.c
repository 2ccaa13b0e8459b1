// What runs when main returns or exit is called. The machine calls __ravel_at_exit there in programs that have it,
// that is, in those that reach the functions below; __ravel_at_quick_exit is the same for quick_exit. If main
// ends by pthread_exit, nothing is run.
#include "rt.h"

enum { MAX_HANDLERS = 128 };

typedef struct {
	void (*fn)(void *);
	void *arg;
} handler;

typedef struct {
	u32 count;
	handler at[MAX_HANDLERS];
} handlers;

static handlers exiting, quickly;

static int add_handler(handlers *h, void (*fn)(void *), void *arg)
{
	u32 k = __atomic_fetch_add(&h->count, 1, rlx);
	if (k >= MAX_HANDLERS)
		__ravel_error("unsupported", "more than 128 functions to run at exit");
	store(&h->at[k].arg, arg, rlx);
	store(&h->at[k].fn, fn, rel);
	return 0;
}

// run_handlers takes the last handler off the list before it calls it: a handler may register others. One that another
// thread is about to register comes too late.
static void run_handlers(handlers *h)
{
	for (u32 n; (n = load(&h->count, acq)) > 0;) {
		if (!cas(&h->count, &n, n - 1, acqrel, rlx))
			continue;
		void (*fn)(void *) = load(&h->at[n - 1].fn, acq);
		if (fn)
			fn(load(&h->at[n - 1].arg, rlx));
	}
}

void __ravel_at_exit(void) { run_handlers(&exiting); }
void __ravel_at_quick_exit(void) { run_handlers(&quickly); }

// A function that takes no argument, as one that takes one.
static void plain(void *fn) { ((void (*)(void))fn)(); }

int __cxa_atexit(void (*fn)(void *), void *arg, void *dso)
{
	if ((void *)fn == (void *)__ravel_at_exit) // never; but now the program has it
		return -1;
	return add_handler(&exiting, fn, arg);
}

int atexit(void (*fn)(void)) { return __cxa_atexit(plain, (void *)fn, NULL); }

int at_quick_exit(void (*fn)(void))
{
	if ((void *)fn == (void *)__ravel_at_quick_exit)
		return -1;
	return add_handler(&quickly, plain, (void *)fn);
}

void __cxa_finalize(void *dso) {}
