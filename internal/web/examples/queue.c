/*
 * A queue between one producer and one consumer, without locks: a ring, the producer owns
 * `tail`, the consumer owns `head`.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { CAPACITY = 2, ITEMS = 3 };

static struct {
    int ring[CAPACITY];
    atomic_uint head; /* how many items have been taken */
    atomic_uint tail; /* how many items have been put */
} queue;

static bool enqueue(int item)
{
    unsigned tail = atomic_load_explicit(&queue.tail, memory_order_relaxed);
    unsigned head = atomic_load_explicit(&queue.head, memory_order_acquire);

    if (tail - head == CAPACITY)
        return false;
    queue.ring[tail % CAPACITY] = item;
    atomic_store_explicit(&queue.tail, tail + 1, memory_order_relaxed);
    return true;
}

static bool dequeue(int *item)
{
    unsigned head = atomic_load_explicit(&queue.head, memory_order_relaxed);
    unsigned tail = atomic_load_explicit(&queue.tail, memory_order_acquire);

    if (head == tail)
        return false;
    *item = queue.ring[head % CAPACITY];
    atomic_store_explicit(&queue.head, head + 1, memory_order_release);
    return true;
}

static void *producer(void *arg)
{
    (void)arg;
    for (int i = 1; i <= ITEMS; i++)
        while (!enqueue(i))
            ;
    return NULL;
}

static void *consumer(void *arg)
{
    int item;

    (void)arg;
    for (int i = 1; i <= ITEMS; i++) {
        while (!dequeue(&item))
            ;
        assert(item == i);
    }
    return NULL;
}

int main(void)
{
    pthread_t p, c;

    pthread_create(&p, NULL, producer, NULL);
    pthread_create(&c, NULL, consumer, NULL);
    pthread_join(p, NULL);
    pthread_join(c, NULL);
    return 0;
}
