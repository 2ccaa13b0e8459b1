/*
 * N threads in a ring, each of which needs two mutexes: it locks one, tries the next, and begins again if that is taken.
 *
 * Checked: all get both, in some order.
 *
 * -DTOLD    a thread that fails tells of it: what it has seen of the other one's round makes a difference
 * -DKEPT    a thread that fails keeps what it has
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif

static pthread_mutex_t locks[N], count = PTHREAD_MUTEX_INITIALIZER;
static int done, last;
static atomic_int failed;

static void *work(void *arg)
{
    long i = (long)arg;
    pthread_mutex_t *first = &locks[i], *second = &locks[(i + 1) % N];

    for (;;) {
        pthread_mutex_lock(first);
        if (pthread_mutex_trylock(second) == 0)
            break;
#ifdef KEPT
        while (pthread_mutex_trylock(second) != 0)
            ;
        break;
#endif
#ifdef TOLD
        if (i > 0)
            failed = 1;
#endif
        pthread_mutex_unlock(first);
    }
    pthread_mutex_lock(&count);
    done++;
    last = i;
    pthread_mutex_unlock(&count);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
    return NULL;
}

int main(void)
{
    pthread_t t[N];

    for (int i = 0; i < N; i++)
        pthread_mutex_init(&locks[i], NULL);
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    assert(done == N);
#ifdef TOLD
    assert(!failed || last > 0); // thread 1 fails, and is first all the same: thread 0 fails after it
#endif
    return 0;
}
