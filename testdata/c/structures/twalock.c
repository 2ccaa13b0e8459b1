/*
 * TWA: a ticket lock whose far-away waiters spin on a slot of a shared waiting array.
 *
 * Source: Dice and Kogan, "TWA – Ticket Locks Augmented with a Waiting Array",
 * Euro-Par 2019. GenMC's suite has it as `twalock`.
 * Checked: mutual exclusion (a plain counter loses no update and is not raced on).
 *
 * -DN=2                  threads, each enters once
 * -DBUG_RELAXED_GRANT    the unlock grants the lock with a relaxed store
 * -DBUG_SKIP_SHORT_WAIT  a thread that was next in line does not wait for its grant
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif

#define NEAR  1    /* waiters this close to the head spin on the grant itself */
#define SLOTS 4096

#ifdef BUG_RELAXED_GRANT
#define GRANT_ORDER memory_order_relaxed
#else
#define GRANT_ORDER memory_order_release
#endif

static atomic_int tickets;
static atomic_int grant;
static atomic_int slots[SLOTS]; /* one waiting array for all locks of a process */
static int counter;

static atomic_int *slot_of(int ticket)
{
    return &slots[ticket % SLOTS];
}

/* Spins on the slot until the lock's head is close. */
static void wait_far(int mine)
{
    int seen = atomic_load_explicit(slot_of(mine), memory_order_acquire);
    int distance = mine - atomic_load_explicit(&grant, memory_order_relaxed);

    while (distance > NEAR) {
        int now;

        while ((now = atomic_load_explicit(slot_of(mine), memory_order_acquire)) == seen)
            ;
        seen = now;
        distance = mine - atomic_load_explicit(&grant, memory_order_relaxed);
    }
}

static void lock(void)
{
    int mine = atomic_fetch_add_explicit(&tickets, 1, memory_order_relaxed);
    int distance = mine - atomic_load_explicit(&grant, memory_order_acquire);

    if (distance == 0)
        return;
    if (distance > NEAR)
        wait_far(mine);
#ifndef BUG_SKIP_SHORT_WAIT
    while (atomic_load_explicit(&grant, memory_order_acquire) != mine)
        ;
#endif
}

static void unlock(void)
{
    int next = atomic_load_explicit(&grant, memory_order_relaxed) + 1;

    atomic_store_explicit(&grant, next, GRANT_ORDER);
    atomic_fetch_add_explicit(slot_of(next + NEAR), 1, memory_order_release);
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
