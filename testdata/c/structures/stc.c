/*
 * Treiber stack whose operations give up when they lose their CAS.
 *
 * Source: the programs STC and STC-opt of Pulte et al., "Promising-ARM/RISC-V",
 * PLDI 2019, after Treiber, IBM RJ 5118, 1986 (STC/210-011-000: one thread pushes twice
 * and pops, another pops and pushes). GenMC's suite has them as `stc` and `stc-opt`.
 * Nodes are never reused, so there is no ABA.
 * Checked: a popped item is one that was pushed, and no item is popped twice.
 *
 * -DT1=2,1,0 -DT2=0,1,1 -DT3=0,0,0   push, pop, push again: how often
 * -DOPT                `stc-opt`: the pop is relaxed; it may read data and next too early,
 *                      so that nothing can be said of the popped item
 * -DBUG_RELAXED_PUSH   the push publishes its node with a relaxed CAS
 * -DBUG_POP_WITHOUT_CAS  the pop moves the head with a store
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#ifndef T1
#define T1 2, 1, 0
#endif
#ifndef T2
#define T2 0, 1, 1
#endif
#ifndef T3
#define T3 0, 0, 0
#endif

#ifdef OPT
#define POP_READ  memory_order_relaxed
#define POP_ORDER memory_order_relaxed
#else
#define POP_READ  memory_order_acquire
#define POP_ORDER memory_order_release
#endif

#ifdef BUG_RELAXED_PUSH
#define PUSH_ORDER memory_order_relaxed
#else
#define PUSH_ORDER memory_order_release
#endif

enum { THREADS = 3, ITEMS = 4 };

struct node {
    atomic_int data;
    _Atomic(struct node *) next;
};

static _Atomic(struct node *) head;

static struct worker {
    int push, pop, push_again;
    int used, popped;
    struct node nodes[ITEMS];
    int items[ITEMS];
} workers[THREADS] = {{T1, 0, 0, {{0}}, {0}}, {T2, 0, 0, {{0}}, {0}}, {T3, 0, 0, {{0}}, {0}}};

/* Items are numbered: thread t pushes ITEMS*t + 1, ITEMS*t + 2, … */
static void try_push(struct worker *self)
{
    struct node *node = &self->nodes[self->used++];
    int item = ITEMS * (int)(self - workers) + self->used;

    atomic_store_explicit(&node->data, item, memory_order_relaxed);
    struct node *old = atomic_load_explicit(&head, memory_order_relaxed);
    atomic_store_explicit(&node->next, old, memory_order_relaxed);
    atomic_compare_exchange_strong_explicit(&head, &old, node,
            PUSH_ORDER, memory_order_relaxed);
}

static void try_pop(struct worker *self)
{
    struct node *old = atomic_load_explicit(&head, POP_READ);

    if (!old)
        return;
    int item = atomic_load_explicit(&old->data, memory_order_relaxed);
    struct node *next = atomic_load_explicit(&old->next, memory_order_relaxed);
#ifdef BUG_POP_WITHOUT_CAS
    atomic_store_explicit(&head, next, POP_ORDER);
#else
    if (!atomic_compare_exchange_strong_explicit(&head, &old, next,
            POP_ORDER, memory_order_relaxed))
        return;
#endif
    self->items[self->popped++] = item;
}

static void *work(void *arg)
{
    struct worker *self = arg;

    for (int i = 0; i < self->push; i++)
        try_push(self);
    for (int i = 0; i < self->pop; i++)
        try_pop(self);
    for (int i = 0; i < self->push_again; i++)
        try_push(self);
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];

    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, work, &workers[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);

#ifndef OPT
    int taken[ITEMS * THREADS + 1] = {0};

    for (int i = 0; i < THREADS; i++) {
        for (int j = 0; j < workers[i].popped; j++) {
            int item = workers[i].items[j];

            assert(item > 0);
            assert(taken[item]++ == 0);
        }
    }
#endif
    return 0;
}
