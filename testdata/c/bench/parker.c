/*
 * parker(L): a thread parks until a condition holds, another sets it and unparks it.
 *
 * Source: a bug of the JDK's LockSupport.park (6822370), as told by Dice, "A race in
 * LockSupport park() arising from weak memory models", 2009; a benchmark of Abdulla et
 * al., "Stateless model checking for TSO and PSO", TACAS 2015, and of HMC's table 2.
 * Checked: the parker is not left asleep after the unparker has finished.
 *
 * -DL=3                 rounds after which the parker is not followed any further
 * -DBUG_RELAXED_COUNTER    the parker takes its permit (the counter) with a relaxed store:
 *                          it can pass the check of the condition, as on x86 without a fence
 */
#include <assert.h>
#include <stdbool.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include <ravel.h>

#ifndef L
#define L 3
#endif

#ifdef BUG_RELAXED_COUNTER
#define TAKE_ORDER memory_order_relaxed
#define COND_ORDER memory_order_relaxed
#else
#define TAKE_ORDER memory_order_seq_cst
#define COND_ORDER memory_order_seq_cst
#endif

enum { UNPARKER, PARKER };

static atomic_int wants[2]; /* a lock: a thread that finds the other one interested loses */
static atomic_int permit;
static atomic_int asleep;
static atomic_int condition;
static atomic_int finished;

static bool try_lock(int me)
{
    atomic_store(&wants[me], 1);
    return !atomic_load(&wants[1 - me]);
}

static void unlock(int me)
{
    atomic_store(&wants[me], 0);
}

static void take_permit(void)
{
    atomic_store_explicit(&permit, 0, TAKE_ORDER);
}

static void sleep_until_signalled(void)
{
    atomic_store(&asleep, 1);
    unlock(PARKER);
    assert(!atomic_load(&finished) || !atomic_load(&asleep));
    ravel_assume(!atomic_load(&asleep));
    ravel_assume(try_lock(PARKER));
}

static void park(void)
{
    if (atomic_load(&permit)) {
        take_permit();
        return;
    }
    if (!try_lock(PARKER)) {
        unlock(PARKER);
        return;
    }
    if (!atomic_load(&permit))
        sleep_until_signalled();
    take_permit();
    unlock(PARKER);
}

static void unpark(void)
{
    ravel_assume(try_lock(UNPARKER));
    int had_permit = atomic_load(&permit);
    atomic_store(&permit, 1);
    unlock(UNPARKER);
    if (!had_permit)
        atomic_store(&asleep, 0);
}

static void *parker(void *arg)
{
    (void)arg;
    for (int i = 0; !atomic_load_explicit(&condition, COND_ORDER); i++) {
        ravel_assume(i < L);
        park();
    }
    return NULL;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, NULL, parker, NULL);
    unpark();
    atomic_store(&condition, 1);
    unpark();
    atomic_store(&finished, 1);
    pthread_join(t, NULL);
    return 0;
}
