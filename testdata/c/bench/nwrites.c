/*
 * nwrites(N): N threads write N different locations.
 *
 * Source: HMC's table 1.
 * Counts: 1, whatever the interleaving.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 5
#endif

static atomic_int x[N];

static void *writer(void *location)
{
    atomic_store_explicit((atomic_int *)location, 1, memory_order_relaxed);
    return NULL;
}

int main(void)
{
    pthread_t t[N];

    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, writer, &x[i]);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return 0;
}
