/*
 * Peterson's lock for two threads, with relaxed accesses. Its stores must stay in order, and must be in memory before the
 * loads. -DFENCE=1 makes the stores reach memory before the loads. -DFENCE=2 also keeps the stores in order.
 *
 *     ravel check --engine states --model sc examples/peterson.c                  # verified
 *     ravel check --engine states examples/peterson.c                             # error: tso
 *     ravel check --engine states examples/peterson.c -- -DFENCE=1                # error: pso
 *     ravel check --engine states examples/peterson.c -- -DFENCE=2                # verified
 *
 * A thread that asks for the lock gets it at some time:
 *
 *     ravel check --engine states --model sc --liveness examples/peterson.c       # verified
 *     ravel check --engine states --model sc --ltl 'G (flag[0] -> F T1@end)' examples/peterson.c  # verified
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define get(x) atomic_load_explicit(&x, memory_order_relaxed)
#define set(x, v) atomic_store_explicit(&x, v, memory_order_relaxed)

#ifndef FENCE
#define FENCE 0
#endif

static atomic_int flag[2]; /* I want to enter */
static atomic_int turn;    /* who goes first if both do */
static atomic_int inside;

static void *worker(void *arg)
{
    long me = (long)arg, other = 1 - me;

    set(flag[me], 1);
    if (FENCE >= 2)
        atomic_thread_fence(memory_order_seq_cst);
    set(turn, other);
    if (FENCE >= 1)
        atomic_thread_fence(memory_order_seq_cst);
    while (get(flag[other]) && get(turn) == other)
        ;
    assert(get(inside) == 0);
    set(inside, 1);
    set(inside, 0);
    if (FENCE >= 1)
        atomic_thread_fence(memory_order_seq_cst);
    set(flag[me], 0);
    return NULL;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, worker, (void *)0);
    pthread_create(&b, NULL, worker, (void *)1);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
