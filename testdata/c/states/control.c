/*
 * Message passing whose reader loads the data behind a branch on the flag: MP+ctrl of the literature.
 *
 * Expected: a branch orders later stores, not later loads (SPARC V9, appendix D), so that the assertion may fail if branches are guessed. It does not if the
 * reader has an acquire fence (-DACQUIRE). With -DSTORE, load buffering with branches before the stores: nobody reads 1. The others have an arm that is never taken, as
 * the flag is never 2. What is in it is no error: a null pointer (-DNULL_POINTER), a race (-DRACE), free (-DFREE), exit (-DEXIT), a failed assertion
 * (-DASSERT), a division (-DDIVIDE), a thread (-DTHREAD), a switch (-DSWITCH) and another branch (-DNESTED). -DSPIN waits for the flag.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int x, y;
static int plain;
static int *block, *null;
static int zero;

#define RLX memory_order_relaxed

static void *writer(void *p)
{
#ifdef STORE
    if (atomic_load_explicit(&x, RLX) == 1)
        atomic_store_explicit(&y, 1, RLX);
#else
    atomic_store_explicit(&x, 1, RLX);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&y, 1, RLX);
    plain = 1;
    *block = 1;
#endif
    return NULL;
}

static void *reader(void *p)
{
#ifdef SPIN
    while (atomic_load_explicit(&y, RLX) == 0)
        ;
    int flag = 1;
#else
    int flag = atomic_load_explicit(&y, RLX);
#endif
#if defined STORE
    if (flag == 1)
        atomic_store_explicit(&x, 1, RLX);
    assert(flag == 0);
#elif defined NULL_POINTER
    if (flag == 2)
        *null = 1;
#elif defined RACE
    if (flag == 2)
        plain = 2;
#elif defined FREE
    if (flag == 2)
        free(block);
#elif defined EXIT
    if (flag == 2)
        exit(1);
#elif defined ASSERT
    if (flag == 2)
        assert(atomic_load_explicit(&x, RLX) == 2);
#elif defined DIVIDE
    if (flag == 2)
        zero = 1 / zero;
#elif defined THREAD
    if (flag == 2) {
        pthread_t t;
        pthread_create(&t, NULL, writer, NULL);
        pthread_join(t, NULL);
    }
#elif defined SWITCH
    switch (flag) {
    case 0: break;
    case 1: break;
    case 7: plain = 7; break;
    default: plain = 3;
    }
#elif defined NESTED
    if (flag != 0)
        if (flag != 1)
            plain = 2;
#else
    if (flag == 1) {
#ifdef ACQUIRE
        atomic_thread_fence(memory_order_acquire);
#endif
        int data = atomic_load_explicit(&x, RLX);
        assert(data == 1);
    }
#endif
    return NULL;
}

int main(void)
{
    pthread_t t, u;
    block = malloc(sizeof *block);
    pthread_create(&t, NULL, writer, NULL);
    pthread_create(&u, NULL, reader, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    free(block);
    return 0;
}
