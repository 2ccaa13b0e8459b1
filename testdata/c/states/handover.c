// One thread allocates boxes and hands them over, the other takes and frees them, for ever: a program with a heap and finitely many states.
// -DTWICE has both free a box that was not taken.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct box {
	int full;
};

_Atomic(struct box *) slot;

void *give(void *unused)
{
	struct box *last = 0;
	for (;;) {
		struct box *b = malloc(sizeof *b);
		b->full = 1;
		struct box *old = atomic_exchange(&slot, b);
		if (old)
			free(old);
#ifdef TWICE
		if (last && last == old)
			free(last);
#endif
		last = b;
	}
	return last;
}

void *take(void *unused)
{
	for (;;) {
		struct box *b = atomic_exchange(&slot, 0);
		if (b) {
			assert(b->full);
			b->full = 0;
			free(b);
		}
	}
	return 0;
}

int main()
{
	pthread_t a, b;
	pthread_create(&a, 0, give, 0);
	pthread_create(&b, 0, take, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
}
