/*
 * One thread writes a message and raises a flag. The other one waits for the flag and reads the message.
 * The flag is relaxed, so the message may arrive after it. -DRIGHT repairs it.
 *
 *     ravel check examples/flag.c
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifdef RIGHT
#define RAISE memory_order_release
#define LOOK memory_order_acquire
#else
#define RAISE memory_order_relaxed
#define LOOK memory_order_relaxed
#endif

static atomic_int message, ready;

static void *send(void *arg)
{
    (void)arg;
    atomic_store_explicit(&message, 42, memory_order_relaxed);
    atomic_store_explicit(&ready, 1, RAISE);
    return NULL;
}

static void *receive(void *arg)
{
    (void)arg;
    while (!atomic_load_explicit(&ready, LOOK))
        ;
    int m = atomic_load_explicit(&message, memory_order_relaxed);
    assert(m == 42);
    return NULL;
}

int main(void)
{
    pthread_t s, r;

    pthread_create(&s, NULL, send, NULL);
    pthread_create(&r, NULL, receive, NULL);
    pthread_join(s, NULL);
    pthread_join(r, NULL);
    return 0;
}
