// Message passing: one thread fills in a message and raises a flag.
// The flag is relaxed, so the reader may see it without the message.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int message;
atomic_int ready;

void *writer(void *unused)
{
    message = 42;
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return NULL;
}

void *reader(void *unused)
{
    if (atomic_load_explicit(&ready, memory_order_acquire))
        assert(message == 42);
    return NULL;
}

int main(void)
{
    pthread_t w, r;
    pthread_create(&w, NULL, writer, NULL);
    pthread_create(&r, NULL, reader, NULL);
    pthread_join(w, NULL);
    pthread_join(r, NULL);
    return 0;
}
