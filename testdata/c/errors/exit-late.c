/*
 * A thread that calls exit has not ended the program yet: what it wrote before can be seen by others in between.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int flag;

static void *leaver(void *arg)
{
    (void)arg;
    atomic_store(&flag, 1);
    exit(0);
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, NULL, leaver, NULL);
    assert(atomic_load(&flag) == 0);
    pthread_join(t, NULL);
    return 0;
}
