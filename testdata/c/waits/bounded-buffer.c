/*
 * A buffer with one place, two producers and two consumers, with condition variables.
 *
 * Checked: nobody takes from an empty buffer, and nobody waits for ever.
 *
 * -DONE     one condition variable for both: a signal may wake a thread of the wrong kind
 * -DIF      a thread looks only once, and may be woken without a reason
 * -DTRY     a thread that finds the mutex held, before anything is produced, tells of it
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static int n, value;

#ifdef ONE
#define emptied filled
#endif
#ifdef IF
#define while if
#endif

static void *produce(void *arg)
{
    pthread_mutex_lock(&m);
    while (n == 1)
        pthread_cond_wait(&emptied, &m);
    n++;
    value = 7;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&m);
    return arg;
}

static void *consume(void *arg)
{
    pthread_mutex_lock(&m);
    while (n == 0)
        pthread_cond_wait(&filled, &m);
    assert(n-- == 1 && value == 7);
    pthread_cond_signal(&emptied);
    pthread_mutex_unlock(&m);
    return arg;
}

#ifdef TRY
static int held;

static void *look(void *arg)
{
    if (pthread_mutex_trylock(&m))
        held = 1;
    else
        pthread_mutex_unlock(&m);
    return arg;
}
#endif

int main(void)
{
    pthread_t t[4];

#ifdef TRY
    pthread_create(&t[0], NULL, consume, NULL);
    pthread_create(&t[1], NULL, look, NULL);
    pthread_join(t[1], NULL);
    produce(NULL);
    pthread_join(t[0], NULL);
    assert(!held);
#else
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, i % 2 ? consume : produce, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    assert(n == 0);
#endif
    return 0;
}
