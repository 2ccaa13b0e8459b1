/*
 * A thread finds x free and takes it by compare-and-swap, without looking again when that fails. If x changes between
 * the look and the first attempt, the thread waits for ever.
 */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *add(void *arg)
{
    atomic_fetch_add(&x, 1);
    return arg;
}

static void *take(void *arg)
{
    if (atomic_load(&x) == 0) {
        int free = 0;

        while (!atomic_compare_exchange_strong(&x, &free, 2))
            free = 0;
    }
    return arg;
}

int main(void)
{
    pthread_t a, t;

    pthread_create(&a, NULL, add, NULL);
    pthread_create(&t, NULL, take, NULL);
    pthread_join(a, NULL);
    pthread_join(t, NULL);
    return 0;
}
