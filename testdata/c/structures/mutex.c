/*
 * Three-state futex mutex: 0 free, 1 taken, 2 taken and somebody may sleep.
 *
 * Source: Drepper, "Futexes are tricky", 2011, §5, with the kernel's futex modelled by
 * a wake-up counter. GenMC's suite has it as `mutex`.
 * Checked: mutual exclusion (a plain counter loses no update and is not raced on).
 *
 * -DN=2                 threads, each enters once
 * -DBUG_RELAXED_RELEASE the unlock with sleepers is relaxed
 * -DBUG_RELAXED_UNLOCK  the unlock without sleepers is relaxed
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif

#ifdef BUG_RELAXED_RELEASE
#define RELEASE_ORDER memory_order_relaxed
#else
#define RELEASE_ORDER memory_order_release
#endif

#ifdef BUG_RELAXED_UNLOCK
#define UNLOCK_ORDER memory_order_relaxed
#else
#define UNLOCK_ORDER memory_order_release
#endif

enum { FREE, TAKEN, CONTENDED };

static atomic_int state;
static atomic_int wakeups;
static int counter;

/* Sleeps until the next wake-up, unless the word has changed already. */
static void futex_wait(atomic_int *word, int expected)
{
    int before = atomic_load_explicit(&wakeups, memory_order_acquire);

    if (atomic_load_explicit(word, memory_order_acquire) != expected)
        return;
    while (atomic_load_explicit(&wakeups, memory_order_acquire) == before)
        ;
}

static void futex_wake(void)
{
    atomic_fetch_add_explicit(&wakeups, 1, memory_order_release);
}

/* The fast paths, for a mutex that nobody waits for. */
static bool lock_free(void)
{
    int expected = FREE;
    return atomic_compare_exchange_strong_explicit(&state, &expected, TAKEN,
            memory_order_acquire, memory_order_acquire);
}

static bool unlock_uncontended(void)
{
    int expected = TAKEN;
    return atomic_compare_exchange_strong_explicit(&state, &expected, FREE,
            UNLOCK_ORDER, memory_order_relaxed);
}

static void announce_waiter(void)
{
    int expected = TAKEN;
    atomic_compare_exchange_strong_explicit(&state, &expected, CONTENDED,
            memory_order_relaxed, memory_order_relaxed);
}

static bool lock_after_sleep(void)
{
    int expected = FREE;
    return atomic_compare_exchange_strong_explicit(&state, &expected, CONTENDED,
            memory_order_acquire, memory_order_relaxed);
}

static void lock(void)
{
    if (lock_free())
        return;
    do {
        announce_waiter();
        futex_wait(&state, CONTENDED);
    } while (!lock_after_sleep());
}

static void unlock(void)
{
    if (unlock_uncontended())
        return;
    atomic_store_explicit(&state, FREE, RELEASE_ORDER);
    futex_wake();
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
