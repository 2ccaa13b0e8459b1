/*
 * readers(N): one thread writes a location, N threads read it.
 *
 * Source: Abdulla, Aronis, Jonsson and Sagonas, "Source sets: a foundation for optimal
 * dynamic partial order reduction", J. ACM 2017; HMC's table 1.
 * Counts: 2^N, each reader sees the write or not.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 5
#endif

static atomic_int x;

static void *writer(void *arg)
{
    (void)arg;
    atomic_store_explicit(&x, 42, memory_order_release);
    return NULL;
}

static void *reader(void *arg)
{
    (void)arg;
    (void)atomic_load_explicit(&x, memory_order_acquire);
    return NULL;
}

int main(void)
{
    pthread_t w, r[N];

    pthread_create(&w, NULL, writer, NULL);
    for (int i = 0; i < N; i++)
        pthread_create(&r[i], NULL, reader, NULL);

    pthread_join(w, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(r[i], NULL);
    return 0;
}
