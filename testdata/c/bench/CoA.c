/*
 * CoA(N): two threads write x, read y or z, and read x again, while N - 1 threads write
 * y and z.
 *
 * Source: GenMC's suite.
 * Counts: 4 * N^2 * ((N-1)!)^2: the reads of y and z have N choices each, y and z have
 * (N-1)! coherence orders each, and the two writes and two reads of x give 4.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 3
#endif

static atomic_int x, y, z;

static void *one(void *arg)
{
    (void)arg;
    atomic_store_explicit(&x, 1, memory_order_release);
    (void)atomic_load_explicit(&y, memory_order_acquire);
    (void)atomic_load_explicit(&x, memory_order_acquire);
    return NULL;
}

static void *two(void *arg)
{
    (void)arg;
    atomic_store_explicit(&x, 2, memory_order_release);
    (void)atomic_load_explicit(&z, memory_order_acquire);
    (void)atomic_load_explicit(&x, memory_order_acquire);
    return NULL;
}

static void *writer(void *arg)
{
    int mine = *(int *)arg;

    atomic_store_explicit(&y, mine, memory_order_release);
    atomic_store_explicit(&z, mine, memory_order_release);
    return NULL;
}

int main(void)
{
    static int number[N - 1];
    pthread_t a, b, t[N - 1];

    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    for (int i = 0; i < N - 1; i++) {
        number[i] = i;
        pthread_create(&t[i], NULL, writer, &number[i]);
    }

    pthread_join(a, NULL);
    pthread_join(b, NULL);
    for (int i = 0; i < N - 1; i++)
        pthread_join(t[i], NULL);
    return 0;
}
