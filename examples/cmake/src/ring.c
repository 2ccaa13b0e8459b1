#include "ring.h"

#include <stdatomic.h>

/* -DRING_WRONG: the producer publishes an element with a relaxed store, so the consumer may read what was in its slot before. */
#ifdef RING_WRONG
#define PUBLISH memory_order_relaxed
#else
#define PUBLISH memory_order_release
#endif

static int slots[RING_SIZE];
static atomic_uint pushed, popped;

bool ring_push(int value)
{
    unsigned at = atomic_load_explicit(&pushed, memory_order_relaxed);
    if (at - atomic_load_explicit(&popped, memory_order_acquire) == RING_SIZE)
        return false;
    slots[at % RING_SIZE] = value;
    atomic_store_explicit(&pushed, at + 1, PUBLISH);
    return true;
}

bool ring_pop(int *value)
{
    unsigned at = atomic_load_explicit(&popped, memory_order_relaxed);
    if (at == atomic_load_explicit(&pushed, memory_order_acquire))
        return false;
    *value = slots[at % RING_SIZE];
    atomic_store_explicit(&popped, at + 1, memory_order_release);
    return true;
}
