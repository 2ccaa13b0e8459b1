/*
 * A thread reads a flag with a relaxed (opaque) load, writes a location with release and reads it back with acquire.
 *
 * rf is in vo, also that of opaque accesses and of a thread's own writes, and so are po;[rel] and [acq];po. So under JAM21 the write and the
 * read of `own` order the two loads around them, and 1, 0 is not allowed. C11 has no synchronisation here: 4 executions.
 * This is how the queue qu.c has 39 executions under JAM21 and 75 under rc11: the flag is the link of a node, `own` is the tail that a
 * thread moves for another one, and `data` is the field next of the new node.
 */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int data, flag, own;

static void *writer(void *arg)
{
    atomic_store_explicit(&data, 1, memory_order_relaxed);
    atomic_exchange_explicit(&flag, 1, memory_order_release);
    return NULL;
}

static void *reader(void *arg)
{
    atomic_load_explicit(&flag, memory_order_relaxed);
    atomic_store_explicit(&own, 1, memory_order_release);
    atomic_load_explicit(&own, memory_order_acquire);
    atomic_load_explicit(&data, memory_order_relaxed);
    return NULL;
}

int main(void)
{
    pthread_t w, r;

    pthread_create(&w, NULL, writer, NULL);
    pthread_create(&r, NULL, reader, NULL);
    pthread_join(w, NULL);
    pthread_join(r, NULL);
    return 0;
}
