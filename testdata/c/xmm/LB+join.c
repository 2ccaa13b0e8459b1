/*
 * Load buffering where the store after one load comes after the join of the thread that loads.
 *
 * Source: LB; own.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static _Atomic int x, y;

static void *early(void *arg)
{
    (void)arg;
    atomic_load_explicit(&y, memory_order_relaxed);
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
    pthread_create(&u, NULL, early, NULL);
    pthread_join(u, NULL);
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    return 0;
}
