/*
 * big1: two threads write two locations each, in turns and three times; two others read
 * all four locations in turns, 8 and 6 times.
 *
 * Source: Kokologiannakis et al., "Effective stateless model checking for C/C++
 * concurrency", POPL 2018 (a made-up program with many executions).
 * Counts: 2950753.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int cell[4];

static void write_in_turns(atomic_int *first, atomic_int *second)
{
    for (int i = 1; i <= 3; i++) {
        atomic_store_explicit(first, i, memory_order_release);
        atomic_store_explicit(second, i, memory_order_release);
    }
}

static void read_in_turns(int times)
{
    for (int i = 0; i < times; i++)
        (void)atomic_load_explicit(&cell[i % 4], memory_order_acquire);
}

static void *long_reader(void *arg)
{
    (void)arg;
    read_in_turns(8);
    return NULL;
}

static void *short_reader(void *arg)
{
    (void)arg;
    read_in_turns(6);
    return NULL;
}

static void *writer_of_01(void *arg)
{
    (void)arg;
    write_in_turns(&cell[0], &cell[1]);
    return NULL;
}

static void *writer_of_23(void *arg)
{
    (void)arg;
    write_in_turns(&cell[2], &cell[3]);
    return NULL;
}

int main(void)
{
    void *(*run[4])(void *) = {long_reader, short_reader, writer_of_01, writer_of_23};
    pthread_t t[4];

    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, run[i], NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    return 0;
}
