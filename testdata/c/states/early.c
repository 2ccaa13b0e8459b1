// An assertion that every model breaks: under the weaker ones it takes fewer moves, as the store may stay in the buffer.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;

void *check(void *unused)
{
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	assert(atomic_load_explicit(&y, memory_order_relaxed) == 1);
	return 0;
}

void *set(void *unused)
{
	atomic_store_explicit(&y, atomic_load_explicit(&x, memory_order_relaxed), memory_order_relaxed);
	return 0;
}

int main()
{
	pthread_t a, b;
	pthread_create(&a, 0, check, 0);
	pthread_create(&b, 0, set, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
}
