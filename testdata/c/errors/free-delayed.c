/*
 * An object is given away by a relaxed store, and freed. Where stores may overtake each other, the first write to it may take effect after that.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) box;

static void *give(void *arg)
{
    int *object = malloc(sizeof *object);

    (void)arg;
    *object = 1;
    atomic_store_explicit(&box, object, memory_order_relaxed);
    return NULL;
}

static void *take(void *arg)
{
    (void)arg;
    free(atomic_exchange_explicit(&box, NULL, memory_order_relaxed));
    return NULL;
}

int main(void)
{
    pthread_t t, u;

    pthread_create(&t, NULL, give, NULL);
    pthread_create(&u, NULL, take, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
