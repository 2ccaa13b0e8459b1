/*
 * nwrites-loc(N): N threads write the same location, nobody reads it.
 *
 * Source: HMC's table 1, after Abdulla et al., "Optimal stateless model checking under
 * the release-acquire semantics", OOPSLA 2018.
 * Counts: N! coherence orders; 1 execution if only the reads-from relation counts
 * (--coherence observed).
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
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    return NULL;
}

int main(void)
{
    pthread_t t[N];

    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, writer, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return 0;
}
