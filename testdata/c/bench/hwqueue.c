/*
 * Herlihy-Wing queue with release and acquire accesses: an enqueuer reserves a cell and
 * fills it, a dequeuer sweeps over the cells.
 *
 * Source: Herlihy and Wing, "Linearizability: a correctness condition for concurrent
 * objects", TOPLAS 1990; GenMC's suite (`hwqueue-ra`).
 * Checked: no item is dequeued twice, and four dequeues do not return items in an order
 * that no queue could explain.
 *
 * -DBUG_SPLIT_TAKE    an item is taken with a load and a store instead of an exchange
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include <ravel.h>

enum { CELLS = 42 };

static atomic_int cell[CELLS];
static atomic_int back;
static int got1, got2, got3, got4;

static void enqueue(int item)
{
    int mine = atomic_fetch_add_explicit(&back, 1, memory_order_acq_rel);

    atomic_store_explicit(&cell[mine], item, memory_order_release);
}

/* One sweep; a thread that finds nothing is not followed any further. */
static int dequeue(void)
{
    int end = atomic_load_explicit(&back, memory_order_acquire);
    int item = 0;

    for (int i = 0; item == 0; i++) {
        ravel_assume(i < end);
#ifdef BUG_SPLIT_TAKE
        item = atomic_load_explicit(&cell[i], memory_order_acquire);
        atomic_store_explicit(&cell[i], 0, memory_order_release);
#else
        item = atomic_exchange_explicit(&cell[i], 0, memory_order_acq_rel);
#endif
    }
    return item;
}

static void *thread1(void *arg)
{
    (void)arg;
    enqueue(1);
    got2 = dequeue();
    return NULL;
}

static void *thread2(void *arg)
{
    (void)arg;
    enqueue(2);
    enqueue(3);
    return NULL;
}

static void *thread3(void *arg)
{
    (void)arg;
    got3 = dequeue();
    enqueue(4);
    return NULL;
}

static void *thread4(void *arg)
{
    (void)arg;
    got4 = dequeue();
    got1 = dequeue();
    return NULL;
}

int main(void)
{
    void *(*run[4])(void *) = {thread1, thread2, thread3, thread4};
    pthread_t t[4];

    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, run[i], NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);

    assert(got1 != got2 && got1 != got3 && got1 != got4);
    assert(got2 != got3 && got2 != got4 && got3 != got4);
    assert(!(got1 == 1 && got2 == 2 && got3 == 3 && got4 == 4));
    return 0;
}
