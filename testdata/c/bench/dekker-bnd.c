/*
 * Dekker's mutual exclusion with fences; a thread that waits too long gives up.
 *
 * Source: Dijkstra, EWD 123, 1965, with the fences of CDSChecker's benchmark (Norris and
 * Demsky, OOPSLA 2013); table 7.4 of the GenMC-XMM thesis.
 * Checked: mutual exclusion (a plain variable is not raced on).
 *
 * -DBND=3          rounds before a thread gives up
 * -DBUG_NO_FENCE   no fence between a thread's flag and its look at the other's
 */
#include <assert.h>
#include <stdbool.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef BND
#define BND 3
#endif

static atomic_int flag[2];
static atomic_int turn;
static int inside;

static void raise_flag(int me)
{
    atomic_store_explicit(&flag[me], 1, memory_order_relaxed);
#ifndef BUG_NO_FENCE
    atomic_thread_fence(memory_order_seq_cst);
#endif
}

static bool await_turn(int me)
{
    for (int i = 0; i < BND; i++)
        if (atomic_load_explicit(&turn, memory_order_relaxed) == me)
            return true;
    return false;
}

static bool lock(int me)
{
    raise_flag(me);
    for (int i = 0; i < BND; i++) {
        if (!atomic_load_explicit(&flag[1 - me], memory_order_relaxed)) {
            atomic_thread_fence(memory_order_acquire);
            return true;
        }
        if (atomic_load_explicit(&turn, memory_order_relaxed) != me) {
            atomic_store_explicit(&flag[me], 0, memory_order_relaxed);
            if (!await_turn(me))
                return false;
            raise_flag(me);
        }
    }
    return false;
}

static void unlock(int me)
{
    atomic_store_explicit(&turn, 1 - me, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&flag[me], 0, memory_order_relaxed);
}

static void *run(void *arg)
{
    int me = arg != NULL;

    if (!lock(me))
        return NULL;
    inside = me;
    assert(inside == me);
    unlock(me);
    return NULL;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, run, NULL);
    pthread_create(&b, NULL, run, &inside);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
