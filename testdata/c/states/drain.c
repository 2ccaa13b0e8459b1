/*
 * Store buffering, with a read-modify-write or a seq_cst store between the store and the load, of a variable that no other thread
 * accesses.
 *
 * Expected: it waits for the buffer whatever it accesses, as on x86 (Owens, Sarkar, Sewell: A better x86 memory model, TPHOLs'09), so one of
 * the loads sees a store. With -DMP, message passing where the flag comes after a release store of such a variable: under pso that is a
 * barrier for the stores before it.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static _Alignas(64) atomic_int mine;
static _Alignas(64) atomic_int other;
static int a, b;

#define RLX memory_order_relaxed

#ifdef RMW
#define DRAIN(v) atomic_fetch_add_explicit(&v, 1, memory_order_acq_rel)
#else
#define DRAIN(v) atomic_store(&v, 1)
#endif

static void *first(void *p)
{
    atomic_store_explicit(&x, 1, RLX);
#ifdef MP
    atomic_store_explicit(&mine, 1, memory_order_release);
    atomic_store_explicit(&y, 1, RLX);
#else
    DRAIN(mine);
    a = atomic_load_explicit(&y, RLX);
#endif
    return NULL;
}

static void *second(void *p)
{
#ifdef MP
    a = !atomic_load_explicit(&y, RLX);
#else
    atomic_store_explicit(&y, 1, RLX);
    DRAIN(other);
#endif
    b = atomic_load_explicit(&x, RLX);
    return NULL;
}

int main(void)
{
    pthread_t s, t;

    pthread_create(&s, NULL, first, NULL);
    pthread_create(&t, NULL, second, NULL);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    assert(a || b);
    return 0;
}
