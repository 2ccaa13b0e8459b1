/*
 * szymanski(N): Szymański's mutual exclusion for two threads, each enters N times.
 *
 * Source: Szymański, "A simple solution to Lamport's concurrent programming problem with
 * linear wait", ICS 1988; relaxed accesses and seq_cst fences. HMC's table 2, GenMC's
 * suite, and, without its waiting and its check, table 7.4 of the GenMC-XMM thesis.
 * Checked: mutual exclusion.
 *
 * -DN=1
 * -DNO_WAITING    the threads rush through: all that is left are the stores, the fences and
 *                 the one load that is branched on
 * -DBUG_NO_FENCE  no fence between announcing the intention and looking at the other thread
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include <ravel.h>

#ifndef N
#define N 1
#endif

static atomic_int flag[2];
static atomic_int inside;

enum { OUT, INTENDS, WAITS, IN_DOORWAY, DOOR_SHUT };

static void set(int me, int phase)
{
    atomic_store_explicit(&flag[me], phase, memory_order_relaxed);
}

static int other(int me)
{
    return atomic_load_explicit(&flag[1 - me], memory_order_relaxed);
}

static void fence(void)
{
    atomic_thread_fence(memory_order_seq_cst);
}

#ifdef NO_WAITING
#define AWAIT(condition) (void)0
#else
#define AWAIT(condition) ravel_assume(condition)
#endif

static void *run(void *arg)
{
    int me = arg != NULL;

    for (int i = 0; i < N; i++) {
        set(me, INTENDS);
#ifndef BUG_NO_FENCE
        fence();
#endif
        AWAIT(other(me) < IN_DOORWAY);

        set(me, IN_DOORWAY);
        fence();
        if (other(me) == INTENDS) {
            set(me, WAITS);
            fence();
            AWAIT(other(me) == DOOR_SHUT);
        }

        set(me, DOOR_SHUT);
        fence();
        AWAIT(other(me) < WAITS);

        atomic_store_explicit(&inside, me, memory_order_relaxed);
#ifndef NO_WAITING
        (void)atomic_load_explicit(&inside, memory_order_relaxed);
        assert(atomic_load_explicit(&inside, memory_order_relaxed) == me);
#endif
        fence();

        AWAIT(other(me) < WAITS || other(me) > IN_DOORWAY);
        set(me, OUT);
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, run, NULL);
    pthread_create(&b, NULL, run, &inside);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
