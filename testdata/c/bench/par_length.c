/*
 * par_length(N): two threads write and read their own location N times, then a common one.
 *
 * Source: GenMC's suite (long threads, few executions); all accesses seq_cst.
 * Counts: 4, two orders of the writes of the common location times whether the earlier
 * writer reads its own write or the later one.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 10
#endif

static atomic_int own[2];
static atomic_int common;

static void run(int me)
{
    for (int i = 0; i < N; i++) {
        atomic_store(&own[me], i);
        (void)atomic_load(&own[me]);
    }
    atomic_store(&common, me);
    (void)atomic_load(&common);
}

static void *one(void *arg)
{
    (void)arg;
    run(0);
    return NULL;
}

static void *two(void *arg)
{
    (void)arg;
    run(1);
    return NULL;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
