/*
 * indexer(N): N threads each put four words into a shared hash table of 128 slots.
 *
 * Source: Flanagan and Godefroid, "Dynamic partial-order reduction for model checking
 * software", POPL 2005; HMC's table 3 (there are no collisions up to 11 threads).
 * Counts: 1 up to N = 11, then 8 times more for each thread: 8^(N-11).
 * Checked (with -DCHECK): no word overwrites another.
 *
 * -DCHECK -DBUG_SPLIT_CAS   a slot is taken with a load and a store instead of a CAS (N > 11)
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#ifndef N
#define N 12
#endif

enum { SIZE = 128, WORDS = 4 };

static atomic_int table[SIZE];

static int word(int thread, int i)
{
    return 11 * i + thread;
}

static bool take(int slot, int w)
{
#ifdef BUG_SPLIT_CAS
    if (atomic_load_explicit(&table[slot], memory_order_relaxed) != 0)
        return false;
    atomic_store_explicit(&table[slot], w, memory_order_relaxed);
    return true;
#else
    int empty = 0;
    return atomic_compare_exchange_strong_explicit(&table[slot], &empty, w,
            memory_order_relaxed, memory_order_relaxed);
#endif
}

static void *fill(void *arg)
{
    int thread = *(int *)arg;

    for (int i = 0; i < WORDS; i++) {
        int w = word(thread, i);
        int slot = 7 * w % SIZE;

        while (!take(slot, w))
            slot = (slot + 1) % SIZE;
    }
    return NULL;
}

int main(void)
{
    static int number[N];
    pthread_t t[N];

    for (int i = 0; i < N; i++) {
        number[i] = i;
        pthread_create(&t[i], NULL, fill, &number[i]);
    }
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);

#ifdef CHECK
    int used = 0;

    for (int i = 0; i < SIZE; i++)
        used += atomic_load_explicit(&table[i], memory_order_relaxed) != 0;
    assert(used == N * WORDS - 1); /* the first word of thread 0 is 0: it leaves its slot empty */
#endif
    return 0;
}
