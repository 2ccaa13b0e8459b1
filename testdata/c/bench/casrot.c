/*
 * casrot(N): thread i moves a location from i - 1 to i, if it finds it there.
 *
 * Source: Kokologiannakis et al., "Effective stateless model checking for C/C++
 * concurrency", POPL 2018; table 7.4 of the GenMC-XMM thesis.
 * Counts: 1 + sum of k * (k+1)^(N-k-1) over 0 < k < N (2, 5, 14, 43 … 8597 for N = 9): if
 * threads 1 to k succeed, thread k + 1 reads one of k values that make it fail, and each
 * later thread one of k + 1.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 4
#endif

static atomic_int x;

static void *rotate(void *arg)
{
    int to = *(int *)arg, from = to - 1;

    atomic_compare_exchange_strong_explicit(&x, &from, to,
            memory_order_relaxed, memory_order_relaxed);
    return NULL;
}

int main(void)
{
    static int number[N];
    pthread_t t[N];

    for (int i = 0; i < N; i++) {
        number[i] = i + 1;
        pthread_create(&t[i], NULL, rotate, &number[i]);
    }
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return 0;
}
