/*
 * only-sc and only-rlx: four threads with three accesses each to two locations; the last
 * two run the same code.
 *
 * Source: appendix E of "Model checking under JAM21" (TU Delft). The thesis prints a
 * fourth body (write x, write y, read y) but creates the third thread twice: -DFOURTH
 * runs the fourth body.
 *
 * -DRELAXED   all accesses relaxed (`only-rlx`) instead of seq_cst (`only-sc`)
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifdef RELAXED
#define MODE memory_order_relaxed
#else
#define MODE memory_order_seq_cst
#endif

static atomic_int x, y;

static void *thread1(void *arg)
{
    (void)arg;
    atomic_store_explicit(&x, 1, MODE);
    (void)atomic_load_explicit(&y, MODE);
    atomic_store_explicit(&x, 2, MODE);
    return NULL;
}

static void *thread2(void *arg)
{
    (void)arg;
    (void)atomic_load_explicit(&y, MODE);
    atomic_store_explicit(&x, 3, MODE);
    (void)atomic_load_explicit(&x, MODE);
    return NULL;
}

static void *thread3(void *arg)
{
    (void)arg;
    atomic_store_explicit(&x, 4, MODE);
    atomic_store_explicit(&y, 5, MODE);
    (void)atomic_load_explicit(&x, MODE);
    return NULL;
}

#ifdef FOURTH
static void *thread4(void *arg)
{
    (void)arg;
    atomic_store_explicit(&x, 6, MODE);
    atomic_store_explicit(&y, 7, MODE);
    (void)atomic_load_explicit(&y, MODE);
    return NULL;
}
#else
#define thread4 thread3
#endif

int main(void)
{
    void *(*run[4])(void *) = {thread1, thread2, thread3, thread4};
    pthread_t t[4];

    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, run[i], NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    return 0;
}
