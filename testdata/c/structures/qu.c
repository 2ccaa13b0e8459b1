/*
 * Michael-Scott queue without helping CASes, set up by its first thread.
 *
 * Source: the programs QU and QU-opt of Pulte et al., "Promising-ARM/RISC-V", PLDI 2019,
 * after Michael and Scott, PODC 1996 (QU/100-100-010: two threads enqueue once, one
 * dequeues once). GenMC's suite has them as `qu` and `qu-opt`. Nodes are never reused.
 * Checked: a dequeued item is one that was enqueued, read without a race.
 *
 * -DT1=1,0,0 -DT2=1,0,0 -DT3=0,1,0   enqueue, dequeue, enqueue again: how often
 * -DOPT            `qu-opt`: relaxed accesses but for the initialisation and the linking CAS;
 *                  the data is atomic then, as its reader does not synchronise
 * -DPLAIN_DATA     plain data even with -DOPT, as in the older versions of the suite: a race
 * -DBUG_RELAXED_LINK      the CAS that appends a node is relaxed
 * -DBUG_RELAXED_TRAVERSE  the dequeuer follows `next` with a relaxed load
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#ifndef T1
#define T1 1, 0, 0
#endif
#ifndef T2
#define T2 1, 0, 0
#endif
#ifndef T3
#define T3 0, 1, 0
#endif

#ifdef OPT
#define TAIL_READ  memory_order_relaxed
#define TAIL_WRITE memory_order_relaxed
#define HEAD_READ  memory_order_relaxed
#else
#define TAIL_READ  memory_order_acquire
#define TAIL_WRITE memory_order_release
#define HEAD_READ  memory_order_acquire
#endif

#if defined(OPT) || defined(BUG_RELAXED_TRAVERSE)
#define NEXT_READ memory_order_relaxed
#else
#define NEXT_READ memory_order_acquire
#endif

#ifdef BUG_RELAXED_LINK
#define LINK_ORDER memory_order_relaxed
#else
#define LINK_ORDER memory_order_release
#endif

#if defined(OPT) && !defined(PLAIN_DATA)
typedef atomic_int data_t;
#define data_get(n)    atomic_load_explicit(&(n)->data, memory_order_relaxed)
#define data_put(n, v) atomic_store_explicit(&(n)->data, (v), memory_order_relaxed)
#else
typedef int data_t;
#define data_get(n)    ((n)->data)
#define data_put(n, v) ((n)->data = (v))
#endif

#ifdef OPT
#define EXPECT(c) (void)(c) /* without synchronisation an item may still look empty */
#else
#define EXPECT(c) assert(c)
#endif

enum { THREADS = 3, NODES = 4 };

struct node {
    data_t data;
    _Atomic(struct node *) next;
};

static struct {
    struct node dummy;
    _Atomic(struct node *) head;
    _Atomic(struct node *) tail;
    atomic_bool ready;
} q;

static struct worker {
    int enqueue, dequeue, enqueue_again;
    int used;
    struct node nodes[NODES];
} workers[THREADS] = {{T1, 0, {{0}}}, {T2, 0, {{0}}}, {T3, 0, {{0}}}};

static void queue_init(void)
{
    atomic_store_explicit(&q.dummy.next, NULL, memory_order_release);
    atomic_store_explicit(&q.head, &q.dummy, memory_order_release);
    atomic_store_explicit(&q.tail, &q.dummy, memory_order_release);
    atomic_store_explicit(&q.ready, true, memory_order_release);
}

/* Returns the last node, or NULL after it has moved a tail that lagged behind. */
static struct node *find_tail(void)
{
    struct node *last = atomic_load_explicit(&q.tail, TAIL_READ);
    struct node *next = atomic_load_explicit(&last->next, memory_order_relaxed);

    if (!next)
        return last;
    atomic_store_explicit(&q.tail, next, TAIL_WRITE);
    return NULL;
}

static bool try_enqueue(struct worker *self, int value)
{
    struct node *node = &self->nodes[self->used++];
    struct node *last, *end = NULL;

    data_put(node, value);
    atomic_store_explicit(&node->next, NULL, memory_order_relaxed);
    do
        last = find_tail();
    while (!last);

    if (!atomic_compare_exchange_strong_explicit(&last->next, &end, node,
            LINK_ORDER, memory_order_relaxed))
        return false;
    atomic_store_explicit(&q.tail, node, TAIL_WRITE);
    return true;
}

static bool try_dequeue(int *value)
{
    struct node *head = atomic_load_explicit(&q.head, HEAD_READ);
    struct node *first = atomic_load_explicit(&head->next, NEXT_READ);

    if (!first || !atomic_compare_exchange_strong_explicit(&q.head, &head, first,
            memory_order_relaxed, memory_order_relaxed))
        return false;
    *value = data_get(first);
    return true;
}

static void *work(void *arg)
{
    struct worker *self = arg;
    int value = 1, got = 0;

    if (self == workers)
        queue_init();
    else if (!atomic_load_explicit(&q.ready, memory_order_acquire))
        return NULL;

    for (int i = 0; i < self->enqueue; i++)
        value <<= try_enqueue(self, value);
    for (int i = 0; i < self->dequeue; i++)
        if (try_dequeue(&got))
            EXPECT(got > 0);
    for (int i = 0; i < self->enqueue_again; i++)
        value <<= try_enqueue(self, value);
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];

    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, work, &workers[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    return 0;
}
