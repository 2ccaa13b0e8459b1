/*
 * Two threads with one function: the first that takes a ticket says so later. A third thread waits for one of the two, which is not always that one. It begins to
 * wait before the other one is created.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int tickets, first_is_done;

static void *take(void *arg)
{
	if (atomic_fetch_add(&tickets, 1) == 0)
		atomic_store(&first_is_done, 1);
	return NULL;
}

static void *wait_for(void *thread)
{
	pthread_join((pthread_t)thread, NULL);
	assert(atomic_load(&first_is_done)); // not if the other one was first, and is on its way
	return NULL;
}

int main(void)
{
	pthread_t one, waiter, other;
	pthread_create(&one, NULL, take, NULL);
	pthread_create(&waiter, NULL, wait_for, (void *)one);
	pthread_create(&other, NULL, take, NULL);
	pthread_join(waiter, NULL);
	pthread_join(other, NULL);
	return 0;
}
