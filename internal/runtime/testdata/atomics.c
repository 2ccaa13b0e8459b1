// want: verified 2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
struct three { long a, b, c; };
static _Atomic struct three big;
static _Atomic int n;
static struct { _Atomic short s; } h;
static void *f(void *arg)
{
	memory_order o = (memory_order)(long)arg;
	atomic_fetch_add_explicit(&n, 1, o);
	return 0;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, f, (void *)memory_order_release);
	f((void *)memory_order_seq_cst);
	pthread_join(t, 0);
	assert(n == 2);
	struct three x = {1, 2, 3};
	atomic_store(&big, x);
	struct three y = atomic_load(&big);
	assert(y.a == 1 && y.b == 2 && y.c == 3);
	y.c = 4;
	assert(!atomic_compare_exchange_strong(&big, &y, x) && y.c == 3);
	assert(atomic_compare_exchange_strong(&big, &y, ((struct three){4, 5, 6})));
	y = atomic_exchange(&big, x);
	assert(y.b == 5);
	h.s = 3;
	assert(h.s == 3);
	return 0;
}
