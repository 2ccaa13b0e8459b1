// A thread publishes an object on the heap.
//
// -DRELAXED: without the release that makes its contents visible with it (wrong).
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef RELAXED
#define ORDER memory_order_relaxed
#else
#define ORDER memory_order_release
#endif

struct object {
	atomic_int field;
};

static _Atomic(struct object *) shared;

static void *publisher(void *unused)
{
	struct object *o = malloc(sizeof *o);
	atomic_store_explicit(&o->field, 1, memory_order_relaxed);
	atomic_store_explicit(&shared, o, ORDER);
	return 0;
}

static void *reader(void *unused)
{
	struct object *o = atomic_load_explicit(&shared, memory_order_acquire);
	if (o)
		assert(atomic_load_explicit(&o->field, memory_order_relaxed) == 1);
	return 0;
}

int main(void)
{
	pthread_t p, r;
	pthread_create(&p, 0, publisher, 0);
	pthread_create(&r, 0, reader, 0);
	pthread_join(p, 0);
	pthread_join(r, 0);
	free(shared);
}
