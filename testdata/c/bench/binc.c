/*
 * binc(N): N threads increment two counters.
 *
 * Source: Kokologiannakis et al., "Effective stateless model checking for C/C++
 * concurrency", POPL 2018; HMC's table 3.
 * Counts: (N!)^2, the orders of the increments of each counter.
 * Checked (with -DCHECK): no increment is lost.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 3
#endif

static atomic_int x, y;

static void *increment(void *arg)
{
    (void)arg;
    atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&y, 1, memory_order_relaxed);
    return NULL;
}

int main(void)
{
    pthread_t t[N];

    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, increment, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
#ifdef CHECK
    assert(atomic_load_explicit(&x, memory_order_relaxed) == N);
    assert(atomic_load_explicit(&y, memory_order_relaxed) == N);
#endif
    return 0;
}
