// A store waits in the buffer while others pass it again and again. It leaves it some time, so both threads come to their end: to say that it does not is not fair.
#include <pthread.h>
#include <stdatomic.h>
#define load(x) atomic_load_explicit(&(x), memory_order_relaxed)
#define store(x, v) atomic_store_explicit(&(x), v, memory_order_relaxed)
atomic_int x, y, z;
void *one(void *arg)
{
	store(x, 1);
	while (!load(z))
		{ store(y, 1); }
	return 0;
}
void *two(void *arg)
{
	while (!load(x) && load(y) < 2)
		;
	store(z, 1);
	return 0;
}
int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, one, 0);
	pthread_create(&u, 0, two, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
}
