/*
 * Reader-writer lock of the Linux kernel: one counter that starts at BIAS, readers
 * take 1, writers take all of BIAS.
 *
 * Source: the x86 rwlock of Linux before 3.16, ported to C11 for CDSChecker (Norris and
 * Demsky, OOPSLA 2013). GenMC's suite has it as `linuxrwlocks`.
 * Checked: a writer is alone, readers see all of a write (no race on the data).
 *
 * -DREADERS=1 -DWRITERS=1 -DRDWR=0   threads that read, write, read and then write
 * -DNO_RETRY       a thread that does not get in at once is not followed any further: what
 *                  checkers do that know that taking and giving back is no effect
 * -DBND=3          bound all loops: a thread that was refused or waited BND times gives up
 *                  (`linuxrwlocks-bnd` in HMC's tables)
 * -DBUG_RELAXED_READ_LOCK    the read lock is relaxed
 * -DBUG_RELAXED_WRITE_UNLOCK the write unlock is relaxed
 * -DBUG_NO_BACKOFF_CHECK     a reader that lost does not check again: it just enters
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include <ravel.h>

#ifndef READERS
#define READERS 1
#endif
#ifndef WRITERS
#define WRITERS 1
#endif
#ifndef RDWR
#define RDWR 0
#endif

#ifdef BND
#define TRY for (int i = 0; i < BND; i++)
#else
#define TRY for (;;)
#endif

#define BIAS    0x00100000
#define THREADS (READERS + WRITERS + RDWR)

#ifdef BUG_RELAXED_READ_LOCK
#define READ_LOCK_ORDER memory_order_relaxed
#else
#define READ_LOCK_ORDER memory_order_acquire
#endif

#ifdef BUG_RELAXED_WRITE_UNLOCK
#define WRITE_UNLOCK_ORDER memory_order_relaxed
#else
#define WRITE_UNLOCK_ORDER memory_order_release
#endif

static atomic_int permits = BIAS;
static int low, high; /* what the lock protects: always equal */

static void on_refusal(void)
{
#ifdef NO_RETRY
    ravel_assume(0);
#endif
}

/* Waits until the lock looks as if it had `wanted` permits left. */
static bool await(int wanted)
{
#ifdef BND
    for (int i = 0; i < BND; i++)
        if (atomic_load_explicit(&permits, memory_order_relaxed) >= wanted)
            return true;
    return false;
#else
    while (atomic_load_explicit(&permits, memory_order_relaxed) < wanted)
        ;
    return true;
#endif
}

static bool read_lock(void)
{
    TRY {
        if (atomic_fetch_sub_explicit(&permits, 1, READ_LOCK_ORDER) > 0)
            return true;
        on_refusal();
#ifdef BUG_NO_BACKOFF_CHECK
        return true;
#endif
        atomic_fetch_add_explicit(&permits, 1, memory_order_relaxed);
        if (!await(1))
            return false;
    }
    return false;
}

static void read_unlock(void)
{
    atomic_fetch_add_explicit(&permits, 1, memory_order_release);
}

static bool write_lock(void)
{
    TRY {
        if (atomic_fetch_sub_explicit(&permits, BIAS, memory_order_acquire) == BIAS)
            return true;
        on_refusal();
        atomic_fetch_add_explicit(&permits, BIAS, memory_order_relaxed);
        if (!await(BIAS))
            return false;
    }
    return false;
}

static void write_unlock(void)
{
    atomic_fetch_add_explicit(&permits, BIAS, WRITE_UNLOCK_ORDER);
}

static void *reader(void *arg)
{
    (void)arg;
    if (!read_lock())
        return NULL;
    assert(low == high);
    read_unlock();
    return NULL;
}

static void *writer(void *arg)
{
    (void)arg;
    if (!write_lock())
        return NULL;
    low++;
    high++;
    write_unlock();
    return NULL;
}

static void *reader_writer(void *arg)
{
    reader(arg);
    return writer(arg);
}

int main(void)
{
    pthread_t t[THREADS];
    int n = 0;

    for (int i = 0; i < WRITERS; i++)
        pthread_create(&t[n++], NULL, writer, NULL);
    for (int i = 0; i < READERS; i++)
        pthread_create(&t[n++], NULL, reader, NULL);
    for (int i = 0; i < RDWR; i++)
        pthread_create(&t[n++], NULL, reader_writer, NULL);
    while (n > 0)
        pthread_join(t[--n], NULL);
#ifndef BND
    assert(low == WRITERS + RDWR);
#endif
    return 0;
}
