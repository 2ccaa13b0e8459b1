/*
 * Load buffering where the store after one load is that of a thread which is created after it.
 *
 * Source: LB; own.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static _Atomic int x, y;

static void *late(void *arg)
{
    (void)arg;
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    return NULL;
}

static void *thread(void *arg)
{
    (void)arg;
    atomic_load_explicit(&x, memory_order_acquire);
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    return NULL;
}

int main(void)
{
    pthread_t t, u;

    pthread_create(&t, NULL, thread, NULL);
    atomic_load_explicit(&y, memory_order_relaxed);
    pthread_create(&u, NULL, late, NULL);
    return 0;
}
