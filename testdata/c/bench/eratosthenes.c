/*
 * eratosthenes(N): two threads sieve the same N numbers, 2 to N + 1.
 *
 * Source: GenMC's suite.
 * Counts: 17064 for N = 7.
 * Checked (with -DCHECK): no prime is crossed out.
 *
 * -DCHECK -DBUG_FROM_SELF   a thread starts crossing out at the prime itself
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#ifndef N
#define N 5
#endif

enum { UNKNOWN, PRIME, COMPOSITE };

static atomic_int mark[N]; /* of the number i + 2 */

static void *sieve(void *arg)
{
    (void)arg;
    for (int i = 0; i < N; i++) {
        if (atomic_load_explicit(&mark[i], memory_order_acquire) != UNKNOWN)
            continue;
        atomic_store_explicit(&mark[i], PRIME, memory_order_release);
#ifdef BUG_FROM_SELF
        int first = i;
#else
        int first = 2 * i + 2;
#endif
        for (int j = first; j < N; j += i + 2)
            atomic_store_explicit(&mark[j], COMPOSITE, memory_order_release);
    }
    return NULL;
}

#ifdef CHECK
static bool is_prime(int n)
{
    for (int d = 2; d < n; d++)
        if (n % d == 0)
            return false;
    return true;
}
#endif

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, sieve, NULL);
    pthread_create(&b, NULL, sieve, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);

#ifdef CHECK
    for (int i = 0; i < N; i++)
        assert(!is_prime(i + 2)
                || atomic_load_explicit(&mark[i], memory_order_relaxed) == PRIME);
#endif
    return 0;
}
