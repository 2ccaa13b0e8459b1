/*
 * casw(N): each of N threads tries a CAS on a location and then overwrites it.
 *
 * Source: Kokologiannakis et al., "Effective stateless model checking for C/C++
 * concurrency", POPL 2018; table 7.4 of the GenMC-XMM thesis.
 * Counts: 1200, 32880 and 1270080 for N = 4, 5 and 6.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 3
#endif

static atomic_int x;

static void *run(void *arg)
{
    int mine = *(int *)arg + 3, expected = 0;

    atomic_compare_exchange_strong_explicit(&x, &expected, 1,
            memory_order_relaxed, memory_order_relaxed);
    atomic_store_explicit(&x, mine, memory_order_release);
    return NULL;
}

int main(void)
{
    static int number[N];
    pthread_t t[N];

    for (int i = 0; i < N; i++) {
        number[i] = i;
        pthread_create(&t[i], NULL, run, &number[i]);
    }
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return 0;
}
