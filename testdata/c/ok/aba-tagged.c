// A counter beside the pointer, as in Treiber's stack on machines that compare two words: main's compare-and-swap fails if the
// thread has changed the top meanwhile, also if the new node has the address of the old one.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

static _Atomic(uint64_t) top; // 48 bits of pointer, 16 bits of counter

static int *node(uint64_t t) { return (int *)(t & 0xffffffffffff); }

static void swap(int *n)
{
	uint64_t old = atomic_load(&top);
	while (!atomic_compare_exchange_strong(&top, &old, (uint64_t)(uintptr_t)n | ((old >> 48) + 1) << 48))
		;
}

static void *other(void *arg)
{
	int *a = node(atomic_load(&top));
	swap(NULL);
	free(a);
	int *b = malloc(sizeof *b);
	*b = 2;
	swap(b);
	return arg;
}

int main(void)
{
	pthread_t t;
	int *n = malloc(sizeof *n);
	*n = 1;
	swap(n);
	uint64_t seen = atomic_load(&top);
	pthread_create(&t, NULL, other, NULL);
	pthread_join(t, NULL);
	assert(!atomic_compare_exchange_strong(&top, &seen, 0));
	free(node(atomic_load(&top)));
	return 0;
}
