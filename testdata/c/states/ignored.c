/*
 * One thread is busy for ever with variables that are its own, two others meet. What the first one does is in conflict with nobody, but
 * a search that explores its moves only, as that is enough in each state, never comes to the error of the others.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int mine, ours;

static void *busy(void *arg)
{
    (void)arg;
    for (;;) {
        atomic_store(&mine, 1);
        atomic_store(&mine, 2);
    }
    return NULL;
}

static void *writer(void *arg)
{
    (void)arg;
    atomic_store(&ours, 1);
    return NULL;
}

static void *reader(void *arg)
{
    (void)arg;
    assert(atomic_load(&ours) == 0);
    return NULL;
}

int main(void)
{
    pthread_t t[3];

    pthread_create(&t[0], NULL, busy, NULL);
    pthread_create(&t[1], NULL, writer, NULL);
    pthread_create(&t[2], NULL, reader, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
