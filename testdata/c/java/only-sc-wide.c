/*
 * only-sc with more threads: N threads (6) with four sc accesses each, in a ring. Thread i writes its own location twice, and
 * reads that of its neighbour after each write. The 24 accesses have 24!/(4!)^6 orders that respect program order.
 *
 * -DRELAXED   all accesses relaxed instead of seq_cst
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#ifdef RELAXED
#define MODE memory_order_relaxed
#else
#define MODE memory_order_seq_cst
#endif

#ifndef N
#define N 6
#endif

static atomic_int x[N];

static void *thread(void *arg)
{
    intptr_t i = (intptr_t)arg;
    atomic_store_explicit(&x[i], 1, MODE);
    (void)atomic_load_explicit(&x[(i + 1) % N], MODE);
    atomic_store_explicit(&x[i], 2, MODE);
    (void)atomic_load_explicit(&x[(i + 1) % N], MODE);
    return NULL;
}

int main(void)
{
    pthread_t t[N];
    for (intptr_t i = 0; i < N; i++)
        pthread_create(&t[i], NULL, thread, (void *)i);
    return 0;
}
