/*
 * Peterson's mutual exclusion for two threads, each enters once.
 *
 * Source: Peterson, "Myths about the mutual exclusion problem", IPL 1981; HMC's table 2
 * (`peterson(L)`), GenMC's suite (`peterson` and `peterson-sc`). The published programs
 * have release and acquire accesses, with which it is no lock: then nothing is checked.
 * Checked (with -DSEQ_CST): mutual exclusion.
 *
 * default              wait with an assumption, as in GenMC's suite
 * -DL=10               look at most L times instead, then give up, as in HMC's table
 * -DSEQ_CST            all accesses seq_cst (`peterson-sc`)
 * -DCHECK              check mutual exclusion even without -DSEQ_CST: it fails
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include <ravel.h>

#ifdef SEQ_CST
#define CHECK
#define RELEASE memory_order_seq_cst
#define ACQUIRE memory_order_seq_cst
#else
#define RELEASE memory_order_release
#define ACQUIRE memory_order_acquire
#endif

static atomic_int flag[2];
static atomic_int turn;  /* who came last has to wait */
static atomic_int inside;

static int must_wait(int me)
{
    return atomic_load_explicit(&flag[1 - me], ACQUIRE)
        && atomic_load_explicit(&turn, ACQUIRE) == me;
}

static void *enter(void *arg)
{
    int me = arg != NULL;

    atomic_store_explicit(&flag[me], 1, RELEASE);
    atomic_store_explicit(&turn, me, RELEASE);

#ifdef L
    for (int i = 0; must_wait(me); i++)
        if (i + 1 == L)
            return NULL;
#else
    ravel_assume(!must_wait(me));
#endif

    atomic_store_explicit(&inside, me, RELEASE);
    int seen = atomic_load_explicit(&inside, ACQUIRE);
#ifdef CHECK
    assert(seen == me);
#else
    (void)seen;
#endif

    atomic_store_explicit(&flag[me], 0, RELEASE);
    return NULL;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, enter, NULL);
    pthread_create(&b, NULL, enter, &turn);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
