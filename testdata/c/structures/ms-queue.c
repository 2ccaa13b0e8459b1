/*
 * Michael-Scott queue over an array of nodes; references carry a count against ABA.
 *
 * Source: Michael and Scott, "Simple, fast, and practical non-blocking and blocking
 * concurrent queue algorithms", PODC 1996, ported to C11 for CDSChecker (Norris and
 * Demsky, OOPSLA 2013). GenMC's suite has it as `ms-queue`.
 * Checked: no node is followed before it is linked or after it is recycled, an item comes
 * out once and only if it went in, and items are handed over without a race.
 *
 * -DREADERS=1 -DWRITERS=1 -DRDWR=0   threads that dequeue, enqueue, enqueue and dequeue, once
 * -DBUG_RELAXED_TAIL     the dequeuer reads the tail with a relaxed load, as CDSChecker's
 *                        version did: it may see the tail of an enqueue but not its link
 * -DBUG_RELAXED_LINK     the CAS that appends a node is relaxed
 * -DBUG_NO_RESET         the enqueuer links its node without setting its next to "none"
 * The published figure is that of -DBUG_RELAXED_TAIL without assertions (-DNDEBUG).
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#ifndef READERS
#define READERS 1
#endif
#ifndef WRITERS
#define WRITERS 1
#endif
#ifndef RDWR
#define RDWR 0
#endif

#ifdef BUG_RELAXED_TAIL
#define TAIL_ORDER memory_order_relaxed
#else
#define TAIL_ORDER memory_order_acquire
#endif

#ifdef BUG_RELAXED_LINK
#define LINK_ORDER memory_order_relaxed
#else
#define LINK_ORDER memory_order_release
#endif

#define THREADS (READERS + WRITERS + RDWR)

enum {
    NONE = 0,
    DUMMY = 1,
    FIRST = 2,       /* the nodes of thread t are FIRST + OWN*t, … */
    OWN = 2,
    UNLINKED = 0x666 /* the next of a node that was never in the queue */
};

/* A reference: the index of a node below, a count that never repeats above. */
typedef unsigned long long ref;

static ref make(unsigned node, unsigned count) { return (ref)count << 32 | node; }
static unsigned node_of(ref r) { return (unsigned)r; }
static unsigned count_of(ref r) { return (unsigned)(r >> 32); }

static struct {
    atomic_ullong head, tail;
    struct {
        int value;
        atomic_ullong next;
    } node[FIRST + OWN * THREADS];
} q;

static struct worker {
    unsigned spare[2 * OWN]; /* nodes that this thread may use */
    int sent, received;
} workers[THREADS];

static unsigned take_spare(struct worker *self)
{
    for (int i = 0; i < 2 * OWN; i++) {
        unsigned node = self->spare[i];

        if (node != NONE) {
            self->spare[i] = NONE;
            return node;
        }
    }
    assert(!"a spare node");
    return NONE;
}

static void keep_spare(struct worker *self, unsigned node)
{
    int i = 0;

    assert(node != NONE);
    while (self->spare[i] != NONE)
        i++;
    self->spare[i] = node;
}

static bool swing(atomic_ullong *place, ref from, unsigned node)
{
    return atomic_compare_exchange_strong_explicit(place, &from,
            make(node, count_of(from) + 1), memory_order_release, memory_order_relaxed);
}

static bool append(unsigned last, ref end, unsigned node)
{
    return atomic_compare_exchange_strong_explicit(&q.node[last].next, &end,
            make(node, count_of(end) + 1), LINK_ORDER, memory_order_relaxed);
}

static void enqueue(struct worker *self, int value)
{
    unsigned node = take_spare(self);
    ref tail;

    q.node[node].value = value;
    ref old = atomic_load_explicit(&q.node[node].next, memory_order_relaxed);
#ifdef BUG_NO_RESET
    (void)old;
#else
    atomic_store_explicit(&q.node[node].next, make(NONE, count_of(old)), memory_order_relaxed);
#endif

    for (;;) {
        tail = atomic_load_explicit(&q.tail, memory_order_acquire);
        ref next = atomic_load_explicit(&q.node[node_of(tail)].next, memory_order_acquire);

        if (tail != atomic_load_explicit(&q.tail, memory_order_relaxed))
            continue;
        assert(node_of(next) != UNLINKED);
        if (node_of(next) == NONE && append(node_of(tail), next, node))
            break;
        /* The tail lags behind: help it. */
        next = atomic_load_explicit(&q.node[node_of(tail)].next, memory_order_acquire);
        swing(&q.tail, tail, node_of(next));
    }
    swing(&q.tail, tail, node);
}

static bool dequeue(struct worker *self, int *value)
{
    for (;;) {
        ref head = atomic_load_explicit(&q.head, memory_order_acquire);
        ref tail = atomic_load_explicit(&q.tail, TAIL_ORDER);
        ref next = atomic_load_explicit(&q.node[node_of(head)].next, memory_order_acquire);

        if (head != atomic_load_explicit(&q.head, memory_order_relaxed))
            continue;
        if (node_of(head) == node_of(tail)) {
            assert(node_of(next) != UNLINKED);
            if (node_of(next) == NONE)
                return false;
            swing(&q.tail, tail, node_of(next));
            continue;
        }
        assert(node_of(next) != NONE);

        int found = q.node[node_of(next)].value;

        if (swing(&q.head, head, node_of(next))) {
            *value = found;
            keep_spare(self, node_of(head));
            return true;
        }
    }
}

static void *writer(void *arg)
{
    struct worker *self = arg;

    self->sent = 1 + (int)(self - workers);
    enqueue(self, self->sent);
    return NULL;
}

static void *reader(void *arg)
{
    struct worker *self = arg;

    dequeue(self, &self->received);
    return NULL;
}

static void *writer_reader(void *arg)
{
    writer(arg);
    return reader(arg);
}

int main(void)
{
    pthread_t t[THREADS];
    int n = 0, seen[THREADS + 1] = {0};

    for (unsigned i = 0; i < THREADS; i++) {
        for (unsigned j = 0; j < OWN; j++) {
            unsigned node = FIRST + OWN * i + j;

            workers[i].spare[j] = node;
            atomic_init(&q.node[node].next, make(UNLINKED, 0));
        }
    }
    atomic_init(&q.head, make(DUMMY, 0));
    atomic_init(&q.tail, make(DUMMY, 0));
    atomic_init(&q.node[DUMMY].next, make(NONE, 0));

    for (int i = 0; i < WRITERS; i++, n++)
        pthread_create(&t[n], NULL, writer, &workers[n]);
    for (int i = 0; i < READERS; i++, n++)
        pthread_create(&t[n], NULL, reader, &workers[n]);
    for (int i = 0; i < RDWR; i++, n++)
        pthread_create(&t[n], NULL, writer_reader, &workers[n]);
    for (int i = 0; i < n; i++)
        pthread_join(t[i], NULL);

    for (int i = 0; i < n; i++) {
        int value = workers[i].received;

        if (value == 0)
            continue;
        seen[value]++;
        assert(seen[value] == 1);
        assert(workers[value - 1].sent == value);
    }
    return 0;
}
