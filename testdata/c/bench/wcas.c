/*
 * wcas(N): one thread writes 2, N threads try to replace a 2 by a 3.
 *
 * Source: GenMC's suite.
 * Counts: N * 2^(N-1) + 1: no CAS succeeds (all read the initial 0), or one of N does and
 * the others read 0 or 3.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 4
#endif

static atomic_int x;

static void *writer(void *arg)
{
    (void)arg;
    atomic_store_explicit(&x, 2, memory_order_release);
    return NULL;
}

static void *replacer(void *arg)
{
    int expected = 2;

    (void)arg;
    atomic_compare_exchange_strong_explicit(&x, &expected, 3,
            memory_order_relaxed, memory_order_relaxed);
    return NULL;
}

int main(void)
{
    pthread_t w, t[N];

    pthread_create(&w, NULL, writer, NULL);
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, replacer, NULL);

    pthread_join(w, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return 0;
}
