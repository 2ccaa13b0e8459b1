/*
 * Volatile accesses of Java compiled for Power: the program by which Liu, Bender and Palsberg (ECOOP'22) show that the scheme which puts a
 * lightweight barrier before a volatile store is wrong. A heavy barrier (hwsync) is an sc fence here, a light one (lwsync)
 * an acq_rel fence, and the accesses themselves are relaxed.
 *
 * The execution that the assumptions ask for is not sequentially consistent: x goes from 1 to 2, which was stored
 * before y was seen as 0, but 1 was stored after y was seen as 1.
 *
 * default      the wrong scheme: one execution
 * -DREPAIRED   the repaired one, with a heavy barrier before the store: none
 * -DNOTHING    no barrier before the store, as appendix D of the thesis prints it: one
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <ravel.h>

static atomic_int x, y;

static void store(atomic_int *a, int v) { atomic_store_explicit(a, v, memory_order_relaxed); }
static int load(atomic_int *a) { return atomic_load_explicit(a, memory_order_relaxed); }
static void heavy(void) { atomic_thread_fence(memory_order_seq_cst); }

static void before_store(void)
{
#if defined REPAIRED
    heavy();
#elif !defined NOTHING
    atomic_thread_fence(memory_order_acq_rel);
#endif
}

static void *t1(void *arg)
{
    store(&x, 2);
    heavy();
    ravel_assume(load(&y) == 0);
    return arg;
}

static void *t2(void *arg)
{
    store(&y, 1);
    return arg;
}

static void *t3(void *arg)
{
    ravel_assume(load(&y) == 1);
    before_store();
    store(&x, 1);
    return arg;
}

static void *t4(void *arg)
{
    ravel_assume(load(&x) == 1);
    heavy();
    ravel_assume(load(&x) == 2);
    return arg;
}

int main(void)
{
    pthread_t t[4];
    pthread_create(&t[0], NULL, t1, NULL);
    pthread_create(&t[1], NULL, t2, NULL);
    pthread_create(&t[2], NULL, t3, NULL);
    pthread_create(&t[3], NULL, t4, NULL);
    return 0;
}
