// A loop that waits may move a value about in memory: each round leaves it as it was. With TEMPORARY the round also
// has a variable of its own that its callee knows.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef struct { long a, b, c; } item;

atomic_int full;
item slot;

int put(item *from, item *back)
{
	if (atomic_load_explicit(&full, memory_order_acquire)) {
		*back = *from;
		return 0;
	}
	slot = *from;
	atomic_store_explicit(&full, 1, memory_order_release);
	return 1;
}
int (*volatile putter)(item *, item *) = put; // not inlined

void *producer(void *arg)
{
	item *mine = malloc(sizeof *mine);
	*mine = (item){1, 2, 3};
	for (;;) {
#ifdef TEMPORARY
		item temporary = *mine, back;
		if (putter(&temporary, &back))
			break;
		*mine = back;
#else
		if (putter(mine, mine))
			break;
#endif
	}
	free(mine);
	return NULL;
}

int main(void)
{
	pthread_t t;
	atomic_store_explicit(&full, 1, memory_order_relaxed);
	pthread_create(&t, NULL, producer, NULL);
	atomic_store_explicit(&full, 0, memory_order_release);
	pthread_join(t, NULL);
	assert(slot.a + slot.b + slot.c == 6);
	return 0;
}
