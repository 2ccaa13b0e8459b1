/*
 * Bounded queue for many producers and consumers: one word counts started reads and
 * writes, two more count finished ones.
 *
 * Source: a queue of Charles Bloom's, ported to C11 for CDSChecker (Norris and Demsky,
 * OOPSLA 2013). GenMC's suite has it as `mpmc-queue`, HMC's tables also as
 * `mpmc-queue-bnd`, with all loops bounded.
 * Checked: a consumer reads its slot without racing with its producer, and finds an item.
 *
 * -DREADERS=1 -DWRITERS=1 -DRDWR=0   threads that read until empty, write once, do both
 * -DNO_RETRY      a thread that loses the race for a slot is not followed any further
 * -DBND=5         bound every loop: a thread that waited in vain goes on without a slot,
 *                 so that the slots cannot be used (and are not)
 * -DBUG_RELAXED_PUBLISH      the producer publishes with a relaxed RMW
 * -DBUG_NO_WAIT_FOR_WRITER   a consumer takes a slot that is claimed but not yet written
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ravel.h>

#ifndef READERS
#define READERS 1
#endif
#ifndef WRITERS
#define WRITERS 1
#endif
#ifndef RDWR
#define RDWR 0
#endif

#ifdef BND
#define ATTEMPTS BND
#else
#define ATTEMPTS (-1) /* never reached */
#endif

#ifdef BUG_RELAXED_PUBLISH
#define PUBLISH_ORDER memory_order_relaxed
#else
#define PUBLISH_ORDER memory_order_release
#endif

#define SLOTS    4u
#define THREADS  (READERS + WRITERS + RDWR)
#define WRITES   0xffffu /* the low half of a word of counters; its high half are reads */
#define ONE_READ 0x10000u

static int32_t slot[SLOTS];
static atomic_uint started;
static atomic_uint reads_done;
static atomic_uint writes_done;

/* Moves the counters from *seen to next, or sees why not. */
static bool claim(unsigned *seen, unsigned next)
{
    if (atomic_compare_exchange_strong_explicit(&started, seen, next,
            memory_order_acq_rel, memory_order_acquire))
        return true;
#ifdef NO_RETRY
    ravel_assume(0);
#endif
    return false;
}

static bool await(atomic_uint *done, unsigned wanted)
{
#ifdef BND
    for (int i = 0; i < BND; i++)
        if ((atomic_load_explicit(done, memory_order_acquire) & WRITES) == wanted)
            return true;
    return false;
#else
    while ((atomic_load_explicit(done, memory_order_acquire) & WRITES) != wanted)
        ;
    return true;
#endif
}

/* Claims the next slot to read; NULL if the queue is empty. */
static int32_t *begin_read(void)
{
    unsigned seen = atomic_load_explicit(&started, memory_order_acquire);

    do
        if ((seen >> 16) == (seen & WRITES))
            return NULL;
    while (!claim(&seen, seen + ONE_READ));

#ifndef BUG_NO_WAIT_FOR_WRITER
    if (!await(&writes_done, seen & WRITES))
        return NULL;
#endif
    return &slot[(seen >> 16) % SLOTS];
}

static void end_read(void)
{
    atomic_fetch_add_explicit(&reads_done, 1, memory_order_release);
}

/* Claims the next slot to write; NULL if the queue is full. */
static int32_t *begin_write(void)
{
    unsigned seen = atomic_load_explicit(&started, memory_order_acquire);
    unsigned reads, writes;

    do {
        reads = seen >> 16;
        writes = seen & WRITES;
        if (writes == ((reads + SLOTS) & WRITES))
            return NULL;
    } while (!claim(&seen, reads << 16 | ((writes + 1) & WRITES)));

    if (!await(&reads_done, reads))
        return NULL;
    return &slot[writes % SLOTS];
}

static void end_write(void)
{
    atomic_fetch_add_explicit(&writes_done, 1, PUBLISH_ORDER);
}

static void put(int32_t value)
{
    int32_t *where = begin_write();

#ifdef BND
    (void)where, (void)value;
#else
    assert(where);
    *where = value;
#endif
    end_write();
}

static void *writer(void *arg)
{
    (void)arg;
    put(1);
    return NULL;
}

static void *reader(void *arg)
{
    (void)arg;
    for (int i = 0; i != ATTEMPTS; i++) {
        int32_t *where = begin_read();

        if (!where)
            break;
#ifndef BND
        assert(*where > 0);
#endif
        end_read();
    }
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
    int n = 0;

    put(17); /* the queue starts with one item */
    for (int i = 0; i < WRITERS; i++)
        pthread_create(&t[n++], NULL, writer, NULL);
    for (int i = 0; i < READERS; i++)
        pthread_create(&t[n++], NULL, reader, NULL);
    for (int i = 0; i < RDWR; i++)
        pthread_create(&t[n++], NULL, writer_reader, NULL);
    while (n > 0)
        pthread_join(t[--n], NULL);
    return 0;
}
