// Recursion, with something done at every level before or after the call, and loads whose values are used only after it.
// With -DWRONG another thread changes what is read.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 12
#endif

#define load(x) atomic_load_explicit(&(x), memory_order_relaxed)
#define store(x, v) atomic_store_explicit(&(x), v, memory_order_relaxed)

atomic_int one = 1, depth;

int down(int n, int *above)
{
	int here = n;
	if (n == 0)
		return 0;
	assert(*above == n + 1);
	int r = load(one);
	if (n % 5 == 0)
		store(depth, n);
	int s = down(n - 1, &here);
	if (n % 7 == 0)
		store(depth, -n);
	return r + s;
}

void *other(void *arg)
{
#ifdef WRONG
	store(one, 2);
#else
	assert(load(depth) <= N);
#endif
	return NULL;
}

int main(void)
{
	pthread_t t;
	int top = N + 1;
	pthread_create(&t, NULL, other, NULL);
	assert(down(N, &top) == N);
	pthread_join(t, NULL);
}
