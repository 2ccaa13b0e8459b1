// An object with a reference count: who gives the last reference back frees it.
//
// -DRELAXED_PUT: nothing orders the accesses of others before the free (wrong).
// -DACQUIRE_PUT, -DRELEASE_PUT: half of the order (wrong).
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#if defined RELAXED_PUT
#define ORDER memory_order_relaxed
#elif defined ACQUIRE_PUT
#define ORDER memory_order_acquire
#elif defined RELEASE_PUT
#define ORDER memory_order_release
#else
#define ORDER memory_order_acq_rel
#endif

struct object {
	atomic_int count, field;
};

static void *user(void *arg)
{
	struct object *o = arg;
	atomic_load_explicit(&o->field, memory_order_relaxed);
	if (atomic_fetch_sub_explicit(&o->count, 1, ORDER) == 1)
		free(o);
	return 0;
}

int main(void)
{
	struct object *o = malloc(sizeof *o);
	pthread_t s, t;
	atomic_init(&o->count, 2);
	atomic_init(&o->field, 0);
	pthread_create(&s, 0, user, o);
	pthread_create(&t, 0, user, o);
	pthread_join(s, 0);
	pthread_join(t, 0);
}
