// Load buffering with dependencies that only the source has: at -O0 they are all kept.
//
// -DDEP=expression that uses r and is 0; -DBRANCH=condition on r that makes no difference
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y[2];

static void *one(void *result)
{
	int r = atomic_load_explicit(&x, memory_order_relaxed);
#ifdef BRANCH
	if (BRANCH) {
	}
	atomic_store_explicit(&y[0], 1, memory_order_relaxed);
#elif defined ADDRESS
	atomic_store_explicit(&y[DEP], 1, memory_order_relaxed);
#elif defined DEP
	atomic_store_explicit(&y[0], 1 + (DEP), memory_order_relaxed);
#else
	atomic_store_explicit(&y[0], 1, memory_order_relaxed);
#endif
	*(int *)result = r;
	return 0;
}

static void *two(void *result)
{
	int r = atomic_load_explicit(&y[0], memory_order_relaxed);
	atomic_store_explicit(&x, r, memory_order_relaxed);
	*(int *)result = r;
	return 0;
}

int main(void)
{
	int a, b;
	pthread_t s, t;
	pthread_create(&s, 0, one, &a);
	pthread_create(&t, 0, two, &b);
	pthread_join(s, 0);
	pthread_join(t, 0);
	assert(!(a == 1 && b == 1));
}
