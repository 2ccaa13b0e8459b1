/*
 * lastzero(N): writer j sets cell j to one more than cell j - 1, a reader looks for the
 * last cell that is still 0.
 *
 * Source: Abdulla, Aronis, Jonsson and Sagonas, "Optimal dynamic partial order
 * reduction", POPL 2014; GenMC's suite.
 * Counts: (N + 3) * 2^(N-2) for N > 1. Writers 2 to N see their predecessor or not; a reader
 * that stops at cell k, 0 < k < N, excludes that writer k + 1 saw writer k.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 4
#endif

static atomic_int cell[N + 1];

static void *reader(void *arg)
{
    int i = N;

    (void)arg;
    while (atomic_load_explicit(&cell[i], memory_order_acquire) != 0)
        i--;
    return NULL;
}

static void *writer(void *arg)
{
    int j = *(int *)arg;
    int before = atomic_load_explicit(&cell[j - 1], memory_order_acquire);

    atomic_store_explicit(&cell[j], before + 1, memory_order_release);
    return NULL;
}

int main(void)
{
    static int number[N + 1];
    pthread_t t[N + 1];

    pthread_create(&t[0], NULL, reader, NULL);
    for (int i = 1; i <= N; i++) {
        number[i] = i;
        pthread_create(&t[i], NULL, writer, &number[i]);
    }
    for (int i = 0; i <= N; i++)
        pthread_join(t[i], NULL);
    return 0;
}
