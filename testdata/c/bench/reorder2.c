/*
 * reorder2: setters write two relaxed locations, checkers look whether both are unset or
 * both set. They need not be, so that nothing is asserted.
 *
 * Source: the `reorder` programs of SCTBench (Thomson, Donaldson and Betts, PPoPP 2014);
 * table 7.4 of the GenMC-XMM thesis.
 *
 * -DSETTERS=2 -DCHECKERS=2
 * -DCHECK    assert it all the same: fails
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef SETTERS
#define SETTERS 2
#endif
#ifndef CHECKERS
#define CHECKERS 2
#endif

static atomic_int a, b;

static int get(atomic_int *location)
{
    return atomic_load_explicit(location, memory_order_relaxed);
}

static void *setter(void *arg)
{
    (void)arg;
    atomic_store_explicit(&a, 1, memory_order_relaxed);
    atomic_store_explicit(&b, -1, memory_order_relaxed);
    return NULL;
}

static void *checker(void *arg)
{
    int consistent = (get(&a) == 0 && get(&b) == 0) || (get(&a) == 1 && get(&b) == -1);

    (void)arg;
#ifdef CHECK
    assert(consistent);
#else
    (void)consistent;
#endif
    return NULL;
}

int main(void)
{
    pthread_t t[SETTERS + CHECKERS];
    int n = 0;

    for (int i = 0; i < SETTERS; i++)
        pthread_create(&t[n++], NULL, setter, NULL);
    for (int i = 0; i < CHECKERS; i++)
        pthread_create(&t[n++], NULL, checker, NULL);
    while (n > 0)
        pthread_join(t[--n], NULL);
    return 0;
}
