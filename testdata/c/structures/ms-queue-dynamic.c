/*
 * Michael-Scott queue with nodes from malloc. Dequeued nodes are freed after all threads
 * have finished (with hazard pointers, as in the original, it could be earlier).
 *
 * Source: Michael and Scott, PODC 1996; for reclamation Michael, "Hazard pointers", TPDS
 * 2004. GenMC's suite has it as `ms-queue-dynamic`, with annotations that tell the checker
 * which CASes only help.
 * Checked: an item comes out once and only if it went in, items are handed over without a
 * race, and no node is used after it was freed.
 *
 * -DREADERS=0 -DWRITERS=2 -DRDWR=0   threads that dequeue, enqueue, enqueue and dequeue, once
 * -DANNOTATED          mark the helping CASes as GenMC's users do
 * -DBUG_FREE_AT_ONCE   dequeued nodes are freed at once
 * -DBUG_RELAXED_LINK   the CAS that appends a node is relaxed
 * -DBUG_LOST_LINK      a node is appended with a store instead of a CAS
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#ifdef ANNOTATED
#include <genmc.h>
#define LINKING(cas) __VERIFIER_final_CAS(cas)
#define HELPED(cas)  __VERIFIER_helped_CAS(cas)
#define HELPING(cas) __VERIFIER_helping_CAS(cas)
#else
#define LINKING(cas) (cas)
#define HELPED(cas)  (cas)
#define HELPING(cas) (cas)
#endif

#ifndef READERS
#define READERS 0
#endif
#ifndef WRITERS
#define WRITERS 2
#endif
#ifndef RDWR
#define RDWR 0
#endif

#ifdef BUG_RELAXED_LINK
#define LINK_ORDER memory_order_relaxed
#else
#define LINK_ORDER memory_order_release
#endif

#define THREADS (READERS + WRITERS + RDWR)

struct node {
    int value;
    _Atomic(struct node *) next;
};

static _Atomic(struct node *) head;
static _Atomic(struct node *) tail;

static struct worker {
    int sent, received;
    struct node *retired;
} workers[THREADS];

static bool swing(_Atomic(struct node *) *place, struct node *from, struct node *to)
{
    return atomic_compare_exchange_strong_explicit(place, &from, to,
            memory_order_release, memory_order_relaxed);
}

static bool append(struct node *last, struct node *mine)
{
#ifdef BUG_LOST_LINK
    atomic_store_explicit(&last->next, mine, memory_order_release);
    return true;
#else
    struct node *end = NULL;
    return atomic_compare_exchange_strong_explicit(&last->next, &end, mine,
            LINK_ORDER, memory_order_relaxed);
#endif
}

static void enqueue(int value)
{
    struct node *mine = malloc(sizeof *mine), *last;

    mine->value = value;
    atomic_init(&mine->next, NULL);
    for (;;) {
        last = atomic_load_explicit(&tail, memory_order_acquire);
        struct node *next = atomic_load_explicit(&last->next, memory_order_acquire);

        if (last != atomic_load_explicit(&tail, memory_order_acquire))
            continue;
        if (next)
            HELPING(swing(&tail, last, next));
        else if (LINKING(append(last, mine)))
            break;
    }
    HELPED(swing(&tail, last, mine));
}

static bool dequeue(struct worker *self, int *value)
{
    for (;;) {
        struct node *first = atomic_load_explicit(&head, memory_order_acquire);
        struct node *last = atomic_load_explicit(&tail, memory_order_acquire);
        struct node *next = atomic_load_explicit(&first->next, memory_order_acquire);

        if (first != atomic_load_explicit(&head, memory_order_acquire))
            continue;
        if (first == last) {
            if (!next)
                return false;
            HELPING(swing(&tail, last, next));
            continue;
        }
        int found = next->value;
        if (swing(&head, first, next)) {
            *value = found;
#ifdef BUG_FREE_AT_ONCE
            self->retired = NULL;
            free(first);
#else
            self->retired = first;
#endif
            return true;
        }
    }
}

static void *writer(void *arg)
{
    struct worker *self = arg;

    self->sent = 1 + (int)(self - workers);
    enqueue(self->sent);
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
    struct node *dummy = malloc(sizeof *dummy);

    dummy->value = 0;
    atomic_init(&dummy->next, NULL);
    atomic_init(&head, dummy);
    atomic_init(&tail, dummy);

    for (int i = 0; i < WRITERS; i++, n++)
        pthread_create(&t[n], NULL, writer, &workers[n]);
    for (int i = 0; i < READERS; i++, n++)
        pthread_create(&t[n], NULL, reader, &workers[n]);
    for (int i = 0; i < RDWR; i++, n++)
        pthread_create(&t[n], NULL, writer_reader, &workers[n]);
    for (int i = 0; i < n; i++)
        pthread_join(t[i], NULL);

    /* What came out and what is left is what went in, each once. */
    for (int i = 0; i < n; i++) {
        if (workers[i].received)
            seen[workers[i].received]++;
        free(workers[i].retired);
    }
    for (struct node *left = atomic_load_explicit(&head, memory_order_relaxed); left;) {
        struct node *next = atomic_load_explicit(&left->next, memory_order_relaxed);

        if (next)
            seen[next->value]++;
        free(left);
        left = next;
    }
    for (int i = 0; i < n; i++)
        assert(workers[i].sent == 0 || seen[workers[i].sent] == 1);
    return 0;
}
