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
 * -DBUG_RELAXED_READ_LOCK    the read lock is relaxed
 * -DBUG_RELAXED_WRITE_UNLOCK the write unlock is relaxed
 * -DBUG_NO_BACKOFF_CHECK     a reader that lost does not check again: it just enters
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
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

static void read_lock(void)
{
    while (atomic_fetch_sub_explicit(&permits, 1, READ_LOCK_ORDER) <= 0) {
        on_refusal();
#ifdef BUG_NO_BACKOFF_CHECK
        return;
#endif
        atomic_fetch_add_explicit(&permits, 1, memory_order_relaxed);
        while (atomic_load_explicit(&permits, memory_order_relaxed) <= 0)
            ;
    }
}

static void read_unlock(void)
{
    atomic_fetch_add_explicit(&permits, 1, memory_order_release);
}

static void write_lock(void)
{
    while (atomic_fetch_sub_explicit(&permits, BIAS, memory_order_acquire) != BIAS) {
        on_refusal();
        atomic_fetch_add_explicit(&permits, BIAS, memory_order_relaxed);
        while (atomic_load_explicit(&permits, memory_order_relaxed) != BIAS)
            ;
    }
}

static void write_unlock(void)
{
    atomic_fetch_add_explicit(&permits, BIAS, WRITE_UNLOCK_ORDER);
}

static void *reader(void *arg)
{
    (void)arg;
    read_lock();
    assert(low == high);
    read_unlock();
    return NULL;
}

static void *writer(void *arg)
{
    (void)arg;
    write_lock();
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
    assert(low == WRITERS + RDWR);
    return 0;
}
