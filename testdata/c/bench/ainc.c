/*
 * ainc(N): N threads increment one counter.
 *
 * Source: Kokologiannakis et al., "Effective stateless model checking for C/C++
 * concurrency", POPL 2018; HMC's table 3.
 * Counts: N!, the orders of the increments of the counter.
 * Checked (with -DCHECK): no increment is lost.
 *
 * -DCHECK -DBUG_LOST_UPDATE   the increment is a load followed by a store
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 4
#endif

static atomic_int x;

static void *increment(void *arg)
{
    (void)arg;
#ifdef BUG_LOST_UPDATE
    atomic_store_explicit(&x, atomic_load_explicit(&x, memory_order_relaxed) + 1,
            memory_order_relaxed);
#else
    atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
#endif
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
#endif
    return 0;
}
