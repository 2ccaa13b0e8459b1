/*
 * Spinning barrier: the last thread to arrive opens the next generation.
 *
 * Source: the generation-counting (sense-reversing) barrier, see Mellor-Crummey and
 * Scott, TOCS 1991, §3; all accesses seq_cst. GenMC's suite has it as `barrier`.
 * Checked: what was written before the barrier is visible behind it, without a race.
 *
 * -DREADERS=N    threads that read after the barrier (default 1; one thread writes)
 * -DBUG_RELAXED_AWAIT   the waiting loop reads the generation with a relaxed load
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef READERS
#define READERS 1
#endif

#ifdef BUG_RELAXED_AWAIT
#define AWAIT_ORDER memory_order_relaxed
#else
#define AWAIT_ORDER memory_order_seq_cst
#endif

static struct {
    atomic_uint arrived;    /* threads that wait in this generation */
    atomic_uint generation; /* how often the barrier has opened */
} gate;

static int message;

static void barrier_wait(void)
{
    unsigned before = atomic_load(&gate.generation);

    if (atomic_fetch_add(&gate.arrived, 1) == READERS) {
        atomic_store(&gate.arrived, 0);
        atomic_fetch_add(&gate.generation, 1);
        return;
    }
    while (atomic_load_explicit(&gate.generation, AWAIT_ORDER) == before)
        ;
}

static void *writer(void *arg)
{
    (void)arg;
    message = 42;
    barrier_wait();
    return NULL;
}

static void *reader(void *arg)
{
    (void)arg;
    barrier_wait();
    assert(message == 42);
    return NULL;
}

int main(void)
{
    pthread_t w, r[READERS];

    pthread_create(&w, NULL, writer, NULL);
    for (int i = 0; i < READERS; i++)
        pthread_create(&r[i], NULL, reader, NULL);

    pthread_join(w, NULL);
    for (int i = 0; i < READERS; i++)
        pthread_join(r[i], NULL);
    return 0;
}
