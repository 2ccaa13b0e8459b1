// want: verified
// flags: -mcx16
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
struct pair { void *p; unsigned long n; };
static _Atomic struct pair a;
static void *f(void *arg)
{
	struct pair old = atomic_load_explicit(&a, memory_order_relaxed), new;
	do {
		new.p = arg;
		new.n = old.n + 1;
	} while (!atomic_compare_exchange_strong(&a, &old, new));
	return 0;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, f, &t);
	f(&a);
	pthread_join(t, 0);
	struct pair end = atomic_load(&a);
	assert(end.n == 2 && (end.p == &a || end.p == &t));
}
