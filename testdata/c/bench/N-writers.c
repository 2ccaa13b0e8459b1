/*
 * N-writers(N): N + 1 threads write a location, one reads it.
 *
 * Source: GenMC's suite.
 * Counts: (N + 2)!: (N + 1)! coherence orders, and N + 2 writes to read from.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 3
#endif

static atomic_int x;

static void *writer(void *arg)
{
    atomic_store_explicit(&x, *(int *)arg, memory_order_release);
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
    static int number[N + 1];
    pthread_t r, t[N + 1];

    pthread_create(&r, NULL, reader, NULL);
    for (int i = 0; i <= N; i++) {
        number[i] = i;
        pthread_create(&t[i], NULL, writer, &number[i]);
    }
    pthread_join(r, NULL);
    for (int i = 0; i <= N; i++)
        pthread_join(t[i], NULL);
    return 0;
}
