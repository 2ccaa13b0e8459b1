/*
 * lamport(N): Lamport's fast mutual exclusion, N threads, each enters once.
 *
 * Source: Lamport, "A fast mutual exclusion algorithm", TOCS 1987, algorithm 2; all
 * accesses seq_cst. HMC's table 2 and GenMC's suite.
 * Checked: mutual exclusion (a plain counter loses no update and is not raced on).
 *
 * -DN=2
 * -DBUG_RELAXED_DOOR   the announcement x is written and read with relaxed accesses
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <ravel.h>

#ifndef N
#define N 2
#endif

#ifdef BUG_RELAXED_DOOR
#define DOOR_ORDER memory_order_relaxed
#else
#define DOOR_ORDER memory_order_seq_cst
#endif

static atomic_intptr_t busy[N + 1];
static atomic_intptr_t x, y;
static int counter;

/* One round of the entry; false: start again. */
static int try_enter(intptr_t me)
{
    atomic_store(&busy[me], 1);
    atomic_store_explicit(&x, me, DOOR_ORDER);
    if (atomic_load(&y) != 0) {
        atomic_store(&busy[me], 0);
        ravel_assume(atomic_load(&y) == 0);
        return 0;
    }
    atomic_store(&y, me);
    if (atomic_load_explicit(&x, DOOR_ORDER) == me)
        return 1;

    atomic_store(&busy[me], 0);
    for (int i = 1; i <= N; i++)
        ravel_assume(atomic_load(&busy[i]) == 0);
    if (atomic_load(&y) == me)
        return 1;
    ravel_assume(atomic_load(&y) == 0);
    return 0;
}

static void *run(void *arg)
{
    intptr_t me = (intptr_t)arg;

    while (!try_enter(me))
        ;
    counter++;
    atomic_store(&y, 0);
    atomic_store(&busy[me], 0);
    return NULL;
}

int main(void)
{
    pthread_t t[N + 1];

    for (intptr_t i = 1; i <= N; i++)
        pthread_create(&t[i], NULL, run, (void *)i);
    for (int i = 1; i <= N; i++)
        pthread_join(t[i], NULL);
    assert(counter == N);
    return 0;
}
