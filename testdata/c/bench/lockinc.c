/*
 * lockinc(N): N threads increment a counter under a mutex.
 *
 * Source: GenMC's suite.
 * Counts: N!, the orders of the critical sections.
 * Checked (with -DCHECK): no increment is lost.
 *
 * -DCHECK -DBUG_NO_LOCK   the increments are not protected
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 4
#endif

static atomic_int x;
#ifndef BUG_NO_LOCK
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
#endif

static void *increment(void *arg)
{
    (void)arg;
#ifndef BUG_NO_LOCK
    pthread_mutex_lock(&mutex);
#endif
    int old = atomic_load_explicit(&x, memory_order_relaxed);
    atomic_store_explicit(&x, old + 1, memory_order_relaxed);
#ifndef BUG_NO_LOCK
    pthread_mutex_unlock(&mutex);
#endif
    return NULL;
}

int main(void)
{
    pthread_t t[N];

    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, increment, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
#ifdef CHECK
    assert(atomic_load_explicit(&x, memory_order_relaxed) == N);
#endif
    return 0;
}
