/*
 * Dining philosophers, who never stop eating and thinking: a loop without a bound, with finitely many states. All
 * of them take the left fork first, so they may wait for each other. With -DORDERED they take the fork with the
 * lower number first.
 *
 *     ravel check --engine states examples/philosophers.c                         # error: sc
 *     ravel check --engine states examples/philosophers.c -- -DORDERED            # verified
 *
 * One of them eats, but each may starve, because the locks are not fair:
 *
 *     ravel check --engine states --model sc --ltl 'G F eating == 1' examples/philosophers.c -- -DORDERED  # error: sc
 *     ravel check --engine states --model sc --ltl 'F eating' examples/philosophers.c -- -DORDERED         # verified
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 3
#endif

static pthread_mutex_t forks[N];
static atomic_int eating; /* who ate last */

static void *philosopher(void *arg)
{
    long left = (long)arg, right = (left + 1) % N;
    long first = left, second = right;

#ifdef ORDERED
    if (left > right) {
        first = right;
        second = left;
    }
#endif
    for (;;) {
        pthread_mutex_lock(&forks[first]);
        pthread_mutex_lock(&forks[second]);
        atomic_store_explicit(&eating, left + 1, memory_order_relaxed);
        pthread_mutex_unlock(&forks[second]);
        pthread_mutex_unlock(&forks[first]);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[N];

    for (long i = 0; i < N; i++)
        pthread_create(&t[i], NULL, philosopher, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return 0;
}
