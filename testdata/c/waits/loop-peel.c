// A thread waits for 0 in a loop whose first round the compiler has peeled off: at the head of the loop, each value that it has read is another state.
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 42
#endif

static atomic_int x = N;

static void *count(void *arg)
{
	for (int i = N - 1; i >= 0; i--)
		atomic_store_explicit(&x, i, memory_order_release);
	return 0;
}

static void *wait(void *arg)
{
	int a = atomic_load_explicit(&x, memory_order_acquire);
	while (a != 0)
		a = atomic_load_explicit(&x, memory_order_acquire);
	return 0;
}

int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], 0, count, 0);
	pthread_create(&t[1], 0, wait, 0);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
}
