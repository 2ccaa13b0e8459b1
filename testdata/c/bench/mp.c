/*
 * mp(L): message passing; the reader looks at the flag at most L times.
 *
 * Source: HMC's table 1.
 * Counts: L + 1, the flag is seen in one of L rounds (and then the data too), or never.
 * Checked: whoever sees the flag sees the data.
 *
 * -DL=10
 * -DBUG_RELAXED_FLAG   the flag is written with a relaxed store
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef L
#define L 10
#endif

#ifdef BUG_RELAXED_FLAG
#define FLAG_ORDER memory_order_relaxed
#else
#define FLAG_ORDER memory_order_release
#endif

static atomic_int data, flag;

static void *sender(void *arg)
{
    (void)arg;
    atomic_store_explicit(&data, 42, memory_order_relaxed);
    atomic_store_explicit(&flag, 1, FLAG_ORDER);
    return NULL;
}

static void *receiver(void *arg)
{
    (void)arg;
    for (int i = 0; i < L; i++) {
        if (atomic_load_explicit(&flag, memory_order_acquire)) {
            assert(atomic_load_explicit(&data, memory_order_relaxed) == 42);
            break;
        }
    }
    return NULL;
}

int main(void)
{
    pthread_t s, r;

    pthread_create(&s, NULL, sender, NULL);
    pthread_create(&r, NULL, receiver, NULL);
    pthread_join(s, NULL);
    pthread_join(r, NULL);
    return 0;
}
