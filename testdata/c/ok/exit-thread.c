/*
 * exit ends the program for all threads: nobody waits for ever for the one that called it, or for a lock that it holds.
 */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *leaver(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    exit(0);
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, NULL, leaver, NULL);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    return 0;
}
