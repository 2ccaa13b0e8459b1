/*
 * Ticket lock: draw a ticket, wait until it is served.
 *
 * Source: Mellor-Crummey and Scott, "Algorithms for scalable synchronization on
 * shared-memory multiprocessors", TOCS 1991, §2.2. GenMC's suite has it as `ticketlock`.
 * Checked: mutual exclusion (a plain counter loses no update and is not raced on).
 *
 * -DN=2                   threads, each enters once
 * -DBUG_RELAXED_SERVE     the unlock publishes the next ticket with a relaxed store
 * -DBUG_LOST_TICKET       the ticket is drawn with a load and a store, not one RMW
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif

#ifdef BUG_RELAXED_SERVE
#define SERVE_ORDER memory_order_relaxed
#else
#define SERVE_ORDER memory_order_release
#endif

static atomic_int next_ticket;
static atomic_int now_serving;
static int counter;

static int draw_ticket(void)
{
#ifdef BUG_LOST_TICKET
    int mine = atomic_load_explicit(&next_ticket, memory_order_relaxed);
    atomic_store_explicit(&next_ticket, mine + 1, memory_order_relaxed);
    return mine;
#else
    return atomic_fetch_add_explicit(&next_ticket, 1, memory_order_relaxed);
#endif
}

static void lock(void)
{
    int mine = draw_ticket();

    while (atomic_load_explicit(&now_serving, memory_order_acquire) != mine)
        ;
}

static void unlock(void)
{
    int served = atomic_load_explicit(&now_serving, memory_order_relaxed);

    atomic_store_explicit(&now_serving, served + 1, SERVE_ORDER);
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
