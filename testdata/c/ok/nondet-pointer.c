// A pointer from the environment is null or not. The program looks at nothing else of it, so that two values stand for all.
#include <assert.h>
#include <pthread.h>

extern void *__VERIFIER_nondet_pointer(void);
extern void __VERIFIER_assume(int);

static _Bool chosen;
static int x, y;
static int *kept;

static void *f(void *arg)
{
	chosen = __VERIFIER_nondet_pointer();
	x = chosen ? 1 : 2;
	return 0;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, f, 0);
	pthread_join(t, 0);
	assert(x == 1 || x == 2);
#ifdef NONNULL
	assert(x != 1);
#endif
#ifdef ASSUME
	void *p = __VERIFIER_nondet_pointer();
	__VERIFIER_assume(p != 0);
	assert(0);
#endif
#ifdef DEREFERENCE
	int *q = __VERIFIER_nondet_pointer();
	if (q)
		y = *q;
#endif
#ifdef KEPT
	kept = __VERIFIER_nondet_pointer();
	if (kept == &y)
		y = 1;
#endif
	return 0;
}
