// Endless loops with finitely many states: each round has a variable in memory and an object on the heap.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int turn, stop;

__attribute__((noinline)) void add(int *to, int depth)
{
	if (depth > 0)
		add(to, depth - 1);
	else
		*to += 1;
}

__attribute__((noinline)) int once(int v)
{
	int x = v;
	add(&x, 2);
	int *p = malloc(sizeof *p);
	*p = x;
	add(p, 1);
	x = *p;
	free(p);
	return x;
}

void *play(void *arg)
{
	int me = (long)arg;
	while (!atomic_load(&stop)) {
		while (atomic_load(&turn) != me)
			if (atomic_load(&stop))
				return 0;
		assert(once(me) == me + 2);
		atomic_store(&turn, 1 - me);
	}
	return 0;
}

int main()
{
	pthread_t t;
	pthread_create(&t, 0, play, (void *)1);
	play(0);
	pthread_join(t, 0);
}
