/*
 * Test-and-set lock that waits on a relaxed load before it tries a compare-exchange.
 *
 * Source: Rudolph and Segall's test-and-test-and-set (ISCA 1984) with CAS instead of
 * an exchange. GenMC's suite has it as `spinlock`.
 * Checked: mutual exclusion (a plain counter loses no update and is not raced on).
 *
 * -DN=2                  threads, each enters once
 * -DBUG_RELAXED_UNLOCK   the unlock is a relaxed store
 * -DBUG_SPLIT_CAS        the CAS is a load followed by a store
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif

#ifdef BUG_RELAXED_UNLOCK
#define UNLOCK_ORDER memory_order_relaxed
#else
#define UNLOCK_ORDER memory_order_release
#endif

static atomic_int held;
static int counter;

static int try_lock(void)
{
#ifdef BUG_SPLIT_CAS
    if (atomic_load_explicit(&held, memory_order_acquire))
        return 0;
    atomic_store_explicit(&held, 1, memory_order_relaxed);
    return 1;
#else
    int free = 0;
    return atomic_compare_exchange_strong_explicit(&held, &free, 1,
            memory_order_acquire, memory_order_acquire);
#endif
}

static void lock(void)
{
    do {
        while (atomic_load_explicit(&held, memory_order_relaxed))
            ;
    } while (!try_lock());
}

static void unlock(void)
{
    atomic_store_explicit(&held, 0, UNLOCK_ORDER);
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
