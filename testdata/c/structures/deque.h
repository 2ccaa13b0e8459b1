/*
 * Work-stealing deque with a fixed ring: its owner pushes and pops at the bottom,
 * other threads steal at the top.
 *
 * Source: Chase and Lev, "Dynamic circular work-stealing deque", SPAA 2005, with the
 * C11 orders of Lê et al., PPoPP 2013, as weakened by Pulte et al., PLDI 2019.
 * Used by chase-lev.c and dq.c.
 *
 * These orders are not enough for C++20: a thief may see a bottom that the owner's pop
 * wrote with a relaxed store, which (unlike in C++11) does not continue the release
 * sequence of the push, and then steals a slot whose item it does not see yet (0). The
 * published programs do not look at the item, so that this does not show.
 *
 * -DVISIBLE         assert that a stolen item is visible
 * -DRELEASE_POP     the repair: pops write the bottom with release stores
 * -DOPT             the weaker orders of the `-opt` programs
 * -DPLAIN_BUFFER    the ring is not atomic, as in the older versions of the suite
 * -DBUG_NO_POP_FENCE    no fence between a pop's claim and its look at the top
 * -DBUG_NO_STEAL_FENCE  no fence between a thief's look at the top and at the bottom
 * -DBUG_RELAXED_PUSH    the push publishes the new bottom with a relaxed store
 * -DBUG_POP_LAST_WITHOUT_CAS  the owner takes the last item without competing for it
 */
#ifndef DEQUE_H
#define DEQUE_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define RING 10

#ifdef OPT
#define PUSH_TOP_ORDER memory_order_relaxed
#define LAST_ORDER     memory_order_release
#define LAST_FAILED    memory_order_relaxed
#else
#define PUSH_TOP_ORDER memory_order_acquire
#define LAST_ORDER     memory_order_acq_rel
#define LAST_FAILED    memory_order_acquire
#endif

#ifdef BUG_RELAXED_PUSH
#define PUSH_BOTTOM_ORDER memory_order_relaxed
#else
#define PUSH_BOTTOM_ORDER memory_order_release
#endif

#ifdef RELEASE_POP
#define POP_BOTTOM_ORDER memory_order_release
#else
#define POP_BOTTOM_ORDER memory_order_relaxed
#endif

static atomic_uint_fast64_t bottom;
static atomic_uint_fast64_t top;

#ifdef PLAIN_BUFFER
static int64_t ring[RING];
#define ring_get(i)    (ring[(i) % RING])
#define ring_put(i, v) (ring[(i) % RING] = (v))
#else
static _Atomic int64_t ring[RING];
#define ring_get(i)    atomic_load_explicit(&ring[(i) % RING], memory_order_relaxed)
#define ring_put(i, v) atomic_store_explicit(&ring[(i) % RING], (v), memory_order_relaxed)
#endif

static bool deque_push(int64_t item)
{
    uint64_t b = atomic_load_explicit(&bottom, memory_order_relaxed);
    uint64_t t = atomic_load_explicit(&top, PUSH_TOP_ORDER);

    if ((int64_t)(b - t) >= RING)
        return false;
    ring_put(b, item);
    atomic_store_explicit(&bottom, b + 1, PUSH_BOTTOM_ORDER);
    return true;
}

/* Returns the item, or 0 if the deque is empty or a thief was faster. */
static int64_t deque_pop(void)
{
    uint64_t b = atomic_load_explicit(&bottom, memory_order_relaxed);

    atomic_store_explicit(&bottom, b - 1, POP_BOTTOM_ORDER);
#ifndef BUG_NO_POP_FENCE
    atomic_thread_fence(memory_order_seq_cst);
#endif
    uint64_t t = atomic_load_explicit(&top, memory_order_relaxed);
    int64_t length = (int64_t)(b - t);

    if (length <= 0) {
        atomic_store_explicit(&bottom, b, POP_BOTTOM_ORDER);
        return 0;
    }

    int64_t item = ring_get(b - 1);

    if (length == 1) {
#ifdef BUG_POP_LAST_WITHOUT_CAS
        bool won = true;
        atomic_store_explicit(&top, t + 1, memory_order_release);
#else
        bool won = atomic_compare_exchange_strong_explicit(&top, &t, t + 1,
                LAST_ORDER, LAST_FAILED);
#endif
        atomic_store_explicit(&bottom, b, POP_BOTTOM_ORDER);
        return won ? item : 0;
    }
    return item;
}

/* Returns the item, or 0 if the deque is empty or somebody else was faster. */
static int64_t deque_steal(void)
{
    uint64_t t = atomic_load_explicit(&top, memory_order_relaxed);

#ifndef BUG_NO_STEAL_FENCE
    atomic_thread_fence(memory_order_seq_cst);
#endif
    uint64_t b = atomic_load_explicit(&bottom, memory_order_acquire);

    if ((int64_t)(b - t) <= 0)
        return 0;

    int64_t item = ring_get(t);
    bool won = atomic_compare_exchange_strong_explicit(&top, &t, t + 1,
            memory_order_release, memory_order_relaxed);

#ifdef VISIBLE
    assert(!won || item > 0);
#endif
    return won ? item : 0;
}

#endif
