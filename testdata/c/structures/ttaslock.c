/*
 * Test-and-test-and-set lock: wait until the lock looks free, then exchange.
 *
 * Source: Rudolph and Segall, "Dynamic decentralized cache schemes for MIMD parallel
 * processors", ISCA 1984. GenMC's suite has it as `ttaslock`, and as `ttaslock-opt`
 * with the waiting loop marked as optional (it never changes what the lock protects).
 * Checked: mutual exclusion (a plain counter loses no update and is not raced on).
 *
 * -DN=2                    threads, each enters once
 * -DOPTIONAL_WAIT          `ttaslock-opt`: the wait is wrapped in __VERIFIER_optional
 * -DNO_RETRY               a thread that loses the exchange is not followed any further: what
 *                          checkers do that know that writing back the value read is no effect
 * -DBUG_RELAXED_EXCHANGE   the acquiring exchange is relaxed
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include <ravel.h>

#ifdef OPTIONAL_WAIT
#include <genmc.h>
#endif

#ifndef N
#define N 2
#endif

#ifdef BUG_RELAXED_EXCHANGE
#define LOCK_ORDER memory_order_relaxed
#else
#define LOCK_ORDER memory_order_acquire
#endif

static atomic_int held;
static int counter;

static void wait_until_free(void)
{
    while (atomic_load_explicit(&held, memory_order_relaxed))
        ;
}

static void lock(void)
{
    for (;;) {
#ifdef OPTIONAL_WAIT
        __VERIFIER_optional(wait_until_free());
#else
        wait_until_free();
#endif
        if (!atomic_exchange_explicit(&held, 1, LOCK_ORDER))
            return;
#ifdef NO_RETRY
        ravel_assume(0);
#endif
    }
}

static void unlock(void)
{
    atomic_store_explicit(&held, 0, memory_order_release);
}

static void *worker(void *arg)
{
    (void)arg;
    lock();
    counter++;
    unlock();
    return NULL;
}

int main(void)
{
    pthread_t t[N];

    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    assert(counter == N);
    return 0;
}
