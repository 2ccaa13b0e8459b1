/*
 * Treiber stack over an array of nodes; references carry a count against ABA.
 *
 * Source: Treiber, "Systems programming: coping with parallelism", IBM RJ 5118, 1986,
 * ported to C11 for CDSChecker (Norris and Demsky, OOPSLA 2013). GenMC's suite has it as
 * `treiber-stack`.
 * Checked: an item is popped once and only if it was pushed, and what its pusher wrote
 * before is visible to its popper.
 *
 * -DREADERS=1 -DWRITERS=2 -DRDWR=0   threads that pop, push, push and pop, once
 * -DRECYCLE             another client: the stack starts with two items, one thread pops once,
 *                       another pops twice and pushes the first of its nodes again
 * -DBUG_NO_COUNT        with -DRECYCLE: references without a count
 * -DBUG_RELAXED_PUSH    the push publishes its node with a relaxed CAS
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
#define WRITERS 2
#endif
#ifndef RDWR
#define RDWR 0
#endif

#ifdef BUG_RELAXED_PUSH
#define PUSH_ORDER memory_order_relaxed
#else
#define PUSH_ORDER memory_order_release
#endif

#define THREADS (READERS + WRITERS + RDWR)

enum { NONE = 0, OWN = 2, NODES = 1 + OWN * THREADS };

/* A reference: the index of a node below, a count that never repeats above. */
typedef unsigned long long ref;

static unsigned node_of(ref r) { return (unsigned)r; }

static ref after(ref old, unsigned node)
{
#ifdef BUG_NO_COUNT
    (void)old;
    return node;
#else
    return ((old >> 32) + 1) << 32 | node;
#endif
}

static atomic_ullong top;
static struct {
    int item;
    atomic_ullong next;
} node[NODES];

static atomic_int note[THREADS + 1]; /* what the pusher of an item leaves for its popper */

static struct worker {
    int popped;
} workers[THREADS];

static void push(unsigned mine, int item)
{
    ref old;

    node[mine].item = item;
    do {
        old = atomic_load_explicit(&top, memory_order_acquire);
        atomic_store_explicit(&node[mine].next, old, memory_order_relaxed);
    } while (!atomic_compare_exchange_strong_explicit(&top, &old, after(old, mine),
            PUSH_ORDER, memory_order_relaxed));
}

/* Returns the node that was on top, or NONE. */
static unsigned pop(void)
{
    ref old, next;

    do {
        old = atomic_load_explicit(&top, memory_order_acquire);
        if (node_of(old) == NONE)
            return NONE;
        next = atomic_load_explicit(&node[node_of(old)].next, memory_order_relaxed);
    } while (!atomic_compare_exchange_strong_explicit(&top, &old, after(old, node_of(next)),
            memory_order_release, memory_order_relaxed));
    return node_of(old);
}

static void *reader(void *arg)
{
    struct worker *self = arg;
    unsigned mine = pop();

    if (mine == NONE)
        return NULL;
    self->popped = node[mine].item;
    assert(atomic_load_explicit(&note[self->popped], memory_order_relaxed) == 42);
    return NULL;
}

#ifdef RECYCLE

static void *recycler(void *arg)
{
    struct worker *self = arg;
    unsigned first = pop(), second = pop();

    if (second != NONE)
        self->popped = node[second].item;
    if (first != NONE)
        push(first, node[first].item);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int seen[3] = {0};

    for (int item = 1; item <= 2; item++) {
        atomic_init(&note[item], 42);
        push((unsigned)item, item);
    }
    pthread_create(&a, NULL, reader, &workers[0]);
    pthread_create(&b, NULL, recycler, &workers[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);

    seen[workers[0].popped]++;
    seen[workers[1].popped]++;
    for (unsigned left; (left = pop()) != NONE;)
        seen[node[left].item]++;
    assert(seen[1] == 1 && seen[2] == 1);
    return 0;
}

#else

static void *writer(void *arg)
{
    int item = 1 + (int)((struct worker *)arg - workers);

    atomic_store_explicit(&note[item], 42, memory_order_relaxed);
    push(OWN * item - 1, item);
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

    for (int i = 0; i < WRITERS; i++, n++)
        pthread_create(&t[n], NULL, writer, &workers[n]);
    for (int i = 0; i < READERS; i++, n++)
        pthread_create(&t[n], NULL, reader, &workers[n]);
    for (int i = 0; i < RDWR; i++, n++)
        pthread_create(&t[n], NULL, writer_reader, &workers[n]);
    for (int i = 0; i < n; i++)
        pthread_join(t[i], NULL);

    for (int i = 0; i < n; i++)
        assert(workers[i].popped == 0 || seen[workers[i].popped]++ == 0);
    return 0;
}

#endif
