// Calls through pointers: a table, a callback with its argument, and a pointer published by another thread.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int add(int a, int b)
{
	return a + b;
}

static int multiply(int a, int b)
{
	return a * b;
}

static int (*const table[])(int, int) = {add, multiply};
static int (*_Atomic chosen)(int, int) = add;

static int fold(int (*f)(int, int), const int *a, int n, int start)
{
	for (int i = 0; i < n; i++) {
		start = f(start, a[i]);
	}
	return start;
}

static void *choose(void *arg)
{
	(void)arg;
	atomic_store(&chosen, multiply);
	return NULL;
}

int main(void)
{
	const int a[] = {2, 3, 4};
	pthread_t p;

	assert(fold(table[0], a, 3, 0) == 9);
	assert(fold(table[1], a, 3, 1) == 24);
	pthread_create(&p, NULL, choose, NULL);
	int r = atomic_load(&chosen)(5, 6);
	assert(r == 11 || r == 30);
	pthread_join(p, NULL);
	assert(atomic_load(&chosen) == multiply);
	return 0;
}
