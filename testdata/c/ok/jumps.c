// Jumps out of functions, in loops, to the innermost and to an outer place, in two threads at once. -DGONE jumps into a function that has returned.
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>

static _Thread_local jmp_buf outer, inner;
static int shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void deep(int n, jmp_buf where, int value)
{
	if (n > 0)
		deep(n - 1, where, value);
	longjmp(where, value);
}

static int nested(void)
{
	volatile int passed = 0;
	if (setjmp(outer))
		return 10 * passed;
	for (int i = 1; i <= 3; i++) {
		int v = setjmp(inner);
		if (v == 0) {
			passed++;
			if (i < 3)
				deep(i, inner, i);
			deep(2, outer, 1);
		}
		assert(v == i);
	}
	return -1;
}

static void *run(void *arg)
{
	assert(nested() == 30);
	switch (setjmp(outer)) {
	case 0:
		pthread_mutex_lock(&lock);
		shared++;
		deep(1, outer, 0); // 0 becomes 1
	case 1:
		pthread_mutex_unlock(&lock);
		return arg;
	default:
		assert(0);
	}
	return 0;
}

static int leave(void) { return setjmp(inner); }

int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, run, 0);
	run(0);
	pthread_join(t, 0);
	assert(shared == 2);
#ifdef GONE
	if (!leave())
		longjmp(inner, 1);
#endif
	return 0;
}
