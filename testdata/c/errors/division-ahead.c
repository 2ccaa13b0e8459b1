/*
 * A division by zero in an execution with load buffering. The store of y does not depend on the division before it, so a processor may perform it first. Then the other thread passes it on to x, and the divisor is 0.
 *
 * -DUSED    the quotient is stored, before y
 */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int quotient;

static void *divide(void *arg)
{
    (void)arg;
    int r = atomic_load_explicit(&x, memory_order_relaxed);
    int q = 10 / (1 - r);
#ifdef USED
    quotient = q;
#else
    (void)q;
#endif
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    return NULL;
}

static void *pass_on(void *arg)
{
    (void)arg;
    atomic_store_explicit(&x, atomic_load_explicit(&y, memory_order_relaxed), memory_order_relaxed);
    return NULL;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, divide, NULL);
    pthread_create(&b, NULL, pass_on, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return quotient < 0;
}
