/*
 * Multi-producer multi-consumer ring of FreeBSD: a thread moves the head, uses the slot,
 * then waits for its turn to move the tail.
 *
 * Source: buf_ring(9) of FreeBSD 8 (Kip Macy). GenMC's suite has it as `buf_ring`: each
 * thread enqueues a message and then dequeues one.
 * Checked: a dequeued message is complete, and read without a race.
 *
 * -DTHREADS=3           threads
 * -DPLAIN_INDICES       heads and tails are plain volatile, as in the original: races
 * -DBUG_NO_ENQUEUE_FENCE   no fence between the claim of a slot and its publication
 * -DBUG_NO_DEQUEUE_FENCE   no fence between the reading of a slot and its release
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ravel.h>

#ifndef THREADS
#define THREADS 3
#endif

#ifdef PLAIN_INDICES
#define index_get(i)    (*(volatile uint32_t *)&(i))
#define index_put(i, v) (*(volatile uint32_t *)&(i) = (v))
#else
#define index_get(i)    atomic_load_explicit(&(i), memory_order_relaxed)
#define index_put(i, v) atomic_store_explicit(&(i), (v), memory_order_relaxed)
#endif

#define SLOTS 8
#define NEXT(i) (((i) + 1) & (SLOTS - 1))

struct message {
    int body;
};

static _Atomic uint32_t producer_head, producer_tail;
static _Atomic uint32_t consumer_head, consumer_tail;
static _Atomic(struct message *) slot[SLOTS];

/* Moves an index by one. A thread that loses is not followed any further: it would try again. */
static void advance(_Atomic uint32_t *index, uint32_t from)
{
    ravel_assume(atomic_compare_exchange_strong_explicit(index, &from, NEXT(from),
            memory_order_acq_rel, memory_order_acquire));
}

static bool enqueue(struct message *m)
{
    uint32_t mine = index_get(producer_head);
    uint32_t end = index_get(consumer_tail);

    if (NEXT(mine) == end)
        return false;
    advance(&producer_head, mine);
#ifndef BUG_NO_ENQUEUE_FENCE
    atomic_thread_fence(memory_order_seq_cst);
#endif
    atomic_store_explicit(&slot[mine], m, memory_order_relaxed);
    ravel_assume(index_get(producer_tail) == mine);
    index_put(producer_tail, NEXT(mine));
    return true;
}

static struct message *dequeue(void)
{
    uint32_t mine = index_get(consumer_head);
    uint32_t end = index_get(producer_tail);

    if (mine == end)
        return NULL;
    advance(&consumer_head, mine);

    struct message *m = atomic_load_explicit(&slot[mine], memory_order_relaxed);

    ravel_assume(index_get(consumer_tail) == mine);
#ifndef BUG_NO_DEQUEUE_FENCE
    atomic_thread_fence(memory_order_seq_cst);
#endif
    index_put(consumer_tail, NEXT(mine));
    return m;
}

static void *worker(void *arg)
{
    struct message *sent = arg;

    sent->body = 0xbeef;
    enqueue(sent);

    struct message *received = dequeue();

    if (received)
        assert(received->body == 0xbeef);
    return NULL;
}

int main(void)
{
    static struct message messages[THREADS];
    pthread_t t[THREADS];

    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, worker, &messages[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    return 0;
}
