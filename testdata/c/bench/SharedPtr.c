/*
 * SharedPtr(N): two threads redirect a shared pointer, read a location N times, and then
 * add 3 to whatever the pointer points to.
 *
 * Source: GenMC's suite.
 * Counts: 4N + 10 (410 for N = 100); long threads with few executions.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 10
#endif

static atomic_int x = 3, y = 4;
static _Atomic(atomic_int *) p;

static void run(atomic_int *redirect, atomic_int *watch)
{
    atomic_store_explicit(&p, redirect, memory_order_release);
    for (int i = 0; i < N; i++)
        (void)atomic_load_explicit(watch, memory_order_acquire);

    atomic_int *target = atomic_load_explicit(&p, memory_order_acquire);
    int old = atomic_load_explicit(target, memory_order_acquire);

    atomic_store_explicit(target, old + 3, memory_order_release);
}

static void *one(void *arg)
{
    (void)arg;
    run(&y, &x);
    return NULL;
}

static void *two(void *arg)
{
    (void)arg;
    run(&x, &y);
    return NULL;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
