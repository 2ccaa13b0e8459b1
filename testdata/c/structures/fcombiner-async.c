/*
 * Flat combining with asynchronous messages: threads queue requests, and whoever finds
 * the queue empty becomes the combiner and performs the requests of the others too.
 *
 * Source: Hendler, Incze, Shavit and Tzafrir, "Flat combining and the synchronization-
 * parallelism tradeoff", SPAA 2010, in the queue-based form of github.com/schets/
 * c_flat_combining. GenMC's suite has it as `fcombiner-async`.
 * Checked: each request is performed exactly once before its sender goes on, and the
 * protected list is not raced on and ends up sorted and complete.
 *
 * -DTHREADS=2               threads, each sends one request (an insertion)
 * -DBUG_RELAXED_LINK        a request is linked to its predecessor with a relaxed store
 * -DBUG_RELAXED_HANDOVER    with three threads: the rest of the work is handed to a waiting
 *                           thread with a relaxed store
 * -DBUG_RELAXED_TAKEOVER    with three threads: the rest of the work is offered to any thread
 *                           with a relaxed store, as in the original
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include <ravel.h>

#ifndef THREADS
#define THREADS 2
#endif

#ifdef BUG_RELAXED_LINK
#define LINK_ORDER memory_order_relaxed
#else
#define LINK_ORDER memory_order_release
#endif

#ifdef BUG_RELAXED_HANDOVER
#define HANDOVER_ORDER memory_order_relaxed
#else
#define HANDOVER_ORDER memory_order_release
#endif

#ifdef BUG_RELAXED_TAKEOVER
#define TAKEOVER_ORDER memory_order_relaxed
#else
#define TAKEOVER_ORDER memory_order_release
#endif

enum { MAX_BATCH = 2 }; /* requests that a combiner performs before it hands over */

/* ---- the protected data: a sorted list of distinct keys ---- */

struct entry {
    int key;
    struct entry *next;
};

static struct entry *list;
static struct entry entries[THREADS + 3];
static int used;

static void list_insert(int key)
{
    struct entry **at = &list;

    while (*at && (*at)->key < key)
        at = &(*at)->next;
    if (*at && (*at)->key == key)
        return;

    struct entry *new = &entries[used++];

    new->key = key;
    new->next = *at;
    *at = new;
}

/* ---- the combiner ---- */

struct request {
    int key;
    int performed;
    struct request *prev;
    _Atomic(struct request *) next;
    _Atomic(struct request *) verdict; /* NULL: wait; DONE; else: combine from there on */
    atomic_bool blocking;              /* its sender waits for the verdict */
};

static struct request done_marker;
#define DONE (&done_marker)

static _Atomic(struct request *) queue;    /* the newest request */
static _Atomic(struct request *) takeover; /* work that waits for any combiner */

static struct request *next_of(struct request *r)
{
    return atomic_load_explicit(&r->next, memory_order_acquire);
}

/* A newer request is queued but not linked yet: await its link. */
static struct request *await_next(struct request *r)
{
    struct request *next = next_of(r);

    ravel_assume(next != NULL);
    return next;
}

static void perform(struct request *r)
{
    list_insert(r->key);
    r->performed++;
}

/* Performs up to MAX_BATCH requests; the last one is not marked as done yet, and returned. */
static struct request *perform_batch(struct request *r)
{
    struct request *last = NULL;
    int n = 0;

    do {
        struct request *next = next_of(r);

        r->prev = NULL;
        perform(r);
        if (last)
            atomic_store_explicit(&last->verdict, DONE, memory_order_release);
        last = r;
        r = next;
    } while (r && ++n < MAX_BATCH);
    return last;
}

/* Leaves r behind: returns the next request, or NULL after it has closed the queue. */
static struct request *move_past(struct request *r)
{
    struct request *next = next_of(r);

    atomic_thread_fence(memory_order_acq_rel);
    if (next)
        return next;

    struct request *newest = r;

    if (atomic_compare_exchange_strong_explicit(&queue, &newest, NULL,
            memory_order_relaxed, memory_order_relaxed))
        return NULL;
    return await_next(r);
}

/* Performs r out of turn and unlinks it. */
static void perform_alone(struct request *r)
{
    perform(r);
    atomic_store_explicit(&r->verdict, DONE, memory_order_relaxed);
    if (!r->prev)
        move_past(r);
    else
        atomic_store_explicit(&r->prev->next, await_next(r), memory_order_release);
}

/* Marks `last` as done and finds somebody for the work after it. */
static void hand_over(struct request *last)
{
    struct request *next = move_past(last);
    struct request *heir = next;

    atomic_store_explicit(&last->verdict, DONE, memory_order_relaxed);
    if (!next)
        return;
    while (heir && !atomic_load_explicit(&heir->blocking, memory_order_relaxed))
        heir = next_of(heir);
    if (heir)
        atomic_store_explicit(&heir->verdict, next, HANDOVER_ORDER);
    else
        atomic_store_explicit(&takeover, next, TAKEOVER_ORDER);
}

static void combine(struct request *from, struct request *own)
{
    struct request *last = perform_batch(from);

    if (own != last && !atomic_load_explicit(&own->verdict, memory_order_relaxed))
        perform_alone(own);
    hand_over(last);
}

/* Queues r; true if the queue was empty, so that the caller must combine. */
static bool enter(struct request *r)
{
    struct request *prev = atomic_exchange_explicit(&queue, r, memory_order_release);

    atomic_thread_fence(memory_order_acquire);
    r->prev = prev;
    if (prev)
        atomic_store_explicit(&prev->next, r, LINK_ORDER);
    return !prev;
}

static void send(struct request *r)
{
    struct request *verdict;

    if (enter(r))
        combine(r, r);

    atomic_store_explicit(&r->blocking, true, memory_order_relaxed);
    while (!(verdict = atomic_load_explicit(&r->verdict, memory_order_relaxed))) {
        if (!atomic_load_explicit(&takeover, memory_order_relaxed))
            continue;
        verdict = atomic_exchange_explicit(&takeover, NULL, memory_order_relaxed);
        if (verdict)
            break;
    }
    atomic_thread_fence(memory_order_acquire);
    if (verdict != DONE)
        combine(verdict, r);
}

/* ---- the client ---- */

static atomic_int arrivals;

static void *worker(void *arg)
{
    struct request *r = arg;

    r->key = 1 + atomic_fetch_add(&arrivals, 1);
    send(r);
    assert(r->performed == 1);
    return NULL;
}

int main(void)
{
    static struct request requests[THREADS];
    pthread_t t[THREADS];
    int length = 0;

    list_insert(0);
    list_insert(-1);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, worker, &requests[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);

    for (struct entry *e = list; e; e = e->next, length++)
        assert(e->key == length - 1);
    assert(length == THREADS + 2);
    return 0;
}
