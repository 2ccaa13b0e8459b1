/*
 * Treiber stack with nodes from malloc, freed by their popper or, if there are several
 * poppers, after all threads have finished (hazard pointers would allow it earlier).
 *
 * Source: Treiber, IBM RJ 5118, 1986; for reclamation Michael, "Hazard pointers", TPDS
 * 2004. GenMC's suite has it as `treiber-stack-dynamic`.
 * Checked: an item is popped once and only if it was pushed, what its pusher wrote before
 * is visible to its popper, and no node is used after it was freed.
 *
 * -DREADERS=1 -DWRITERS=2 -DRDWR=0   threads that pop, push, push and pop, once
 * -DNO_RETRY   a thread that loses its CAS is not followed any further (a checker may do so by
 *              itself: until it is pushed, a node is nobody else's business)
 * -DBUG_FREE_AT_ONCE   with two poppers: nodes are freed as soon as they are popped
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include <ravel.h>

#ifndef READERS
#define READERS 1
#endif
#ifndef WRITERS
#define WRITERS 2
#endif
#ifndef RDWR
#define RDWR 0
#endif

#define THREADS (READERS + WRITERS + RDWR)
#define POPPERS (READERS + RDWR)

#if POPPERS == 1 || defined(BUG_FREE_AT_ONCE)
#define FREE_AT_ONCE true
#else
#define FREE_AT_ONCE false
#endif

struct node {
    int item;
    _Atomic(struct node *) next;
};

static _Atomic(struct node *) top;
static atomic_int note[THREADS + 1]; /* what the pusher of an item leaves for its popper */

static struct worker {
    int popped;
    struct node *retired;
} workers[THREADS];

static bool replace_top(struct node *old, struct node *new)
{
    if (atomic_compare_exchange_strong_explicit(&top, &old, new,
            memory_order_release, memory_order_relaxed))
        return true;
#ifdef NO_RETRY
    ravel_assume(0);
#endif
    return false;
}

static void push(int item)
{
    struct node *mine = malloc(sizeof *mine), *old;

    mine->item = item;
    do {
        old = atomic_load_explicit(&top, memory_order_acquire);
        atomic_store_explicit(&mine->next, old, memory_order_relaxed);
    } while (!replace_top(old, mine));
}

static int pop(struct worker *self)
{
    struct node *old, *next;

    do {
        old = atomic_load_explicit(&top, memory_order_acquire);
        if (!old)
            return 0;
        next = atomic_load_explicit(&old->next, memory_order_relaxed);
    } while (!replace_top(old, next));

    int item = old->item;

    if (FREE_AT_ONCE)
        free(old);
    else
        self->retired = old;
    return item;
}

static void *writer(void *arg)
{
    int item = 1 + (int)((struct worker *)arg - workers);

    atomic_store_explicit(&note[item], 42, memory_order_relaxed);
    push(item);
    return NULL;
}

static void *reader(void *arg)
{
    struct worker *self = arg;
    int item = pop(self);

    if (item != 0)
        assert(atomic_load_explicit(&note[item], memory_order_relaxed) == 42);
    self->popped = item;
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

    for (int i = 0; i < n; i++) {
        assert(workers[i].popped == 0 || seen[workers[i].popped]++ == 0);
        free(workers[i].retired);
    }
    for (struct node *left = atomic_load_explicit(&top, memory_order_relaxed); left;) {
        struct node *next = atomic_load_explicit(&left->next, memory_order_relaxed);

        free(left);
        left = next;
    }
    return 0;
}
