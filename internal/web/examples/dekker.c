// Two threads announce themselves, then look whether the other one did.
// Under sequential consistency one of them sees the other. Processors that
// buffer stores break it, and so do C11's acquire and release.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int want[2];
int inside;

void *enter(void *arg)
{
    int me = (int)(long)arg;
    atomic_store_explicit(&want[me], 1, memory_order_release);
    if (!atomic_load_explicit(&want[1 - me], memory_order_acquire)) {
        inside++; // alone here?
        assert(inside == 1);
        inside--;
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, enter, (void *)0L);
    pthread_create(&b, NULL, enter, (void *)1L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
