/*
 * Message passing whose flag is raised by a relaxed read-modify-write. With -DRELEASE it is a release one, with -DFENCE a release fence comes before it,
 * with -DPRIVATE store buffering with a read-modify-write that no other thread sees in between.
 *
 * Expected: by default it waits for the stores before it under tso and pso, as a locked instruction of x86. Rule 8 of LLMC's thesis and SPARC's PSO let the
 * store of data pass a relaxed one, so that the assertion fails, but neither a release one nor one behind a fence.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static _Alignas(64) atomic_int mine;
static _Alignas(64) atomic_int other;
static int a, b;

#define RLX memory_order_relaxed

#ifdef RELEASE
#define MODE memory_order_release
#else
#define MODE RLX
#endif

static void *first(void *p)
{
    atomic_store_explicit(&x, 1, RLX);
#ifdef FENCE
    atomic_thread_fence(memory_order_release);
#endif
#ifdef PRIVATE
    atomic_fetch_add_explicit(&mine, 1, MODE);
    a = atomic_load_explicit(&y, RLX);
#else
    atomic_fetch_add_explicit(&y, 1, MODE);
#endif
    return NULL;
}

static void *second(void *p)
{
#ifdef PRIVATE
    atomic_store_explicit(&y, 1, RLX);
    atomic_fetch_add_explicit(&other, 1, MODE);
    b = atomic_load_explicit(&x, RLX);
#else
    int flag = atomic_load_explicit(&y, memory_order_acquire);
    int data = atomic_load_explicit(&x, RLX);
    assert(!flag || data);
#endif
    return NULL;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, first, NULL);
    pthread_create(&u, NULL, second, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
#ifdef PRIVATE
    assert(a || b);
#endif
    return 0;
}
