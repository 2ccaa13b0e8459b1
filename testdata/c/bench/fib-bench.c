/*
 * fib-bench: two threads add up Fibonacci numbers, a third looks at the result once.
 *
 * Source: SV-COMP (pthread/fib_bench), with release and acquire accesses; GenMC's suite
 * and table 7.4 of the GenMC-XMM thesis.
 * Checked: nobody gets beyond the number that alternating the threads gives.
 *
 * -DNUM=4        additions of each thread
 * -DBUG_BOUND    the bound is one too small: it is reached
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef NUM
#define NUM 4
#endif

static atomic_int x = 1, y = 1;

/* The (2 * NUM + 2)nd Fibonacci number. */
#define FIBONACCI (NUM == 1 ? 3 : NUM == 2 ? 8 : NUM == 3 ? 21 : NUM == 4 ? 55 : 144)
_Static_assert(NUM >= 1 && NUM <= 5, "no bound known");

#ifdef BUG_BOUND
enum { BOUND = FIBONACCI - 1 };
#else
enum { BOUND = FIBONACCI };
#endif

static void *add_to_x(void *arg)
{
    (void)arg;
    for (int i = 0; i < NUM; i++) {
        int p = atomic_load_explicit(&x, memory_order_acquire);
        int q = atomic_load_explicit(&y, memory_order_acquire);

        atomic_store_explicit(&x, p + q, memory_order_release);
    }
    return NULL;
}

static void *add_to_y(void *arg)
{
    (void)arg;
    for (int i = 0; i < NUM; i++) {
        int p = atomic_load_explicit(&x, memory_order_acquire);
        int q = atomic_load_explicit(&y, memory_order_acquire);

        atomic_store_explicit(&y, p + q, memory_order_release);
    }
    return NULL;
}

static void *check(void *arg)
{
    (void)arg;
    if (atomic_load_explicit(&x, memory_order_acquire) > BOUND
            || atomic_load_explicit(&y, memory_order_acquire) > BOUND)
        assert(!"a greater number");
    return NULL;
}

int main(void)
{
    pthread_t a, b, c;

    pthread_create(&a, NULL, add_to_x, NULL);
    pthread_create(&b, NULL, add_to_y, NULL);
    pthread_create(&c, NULL, check, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return 0;
}
