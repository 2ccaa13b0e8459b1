/*
 * Two threads with one function: the second that takes a ticket frees the block. main stores to the block between their creations. That is before all that the second thread
 * does, but not before what the first one does: tickets are relaxed.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int tickets;
static int *block;

static void *take(void *arg)
{
	if (atomic_fetch_add_explicit(&tickets, 1, memory_order_relaxed) == 1)
		free(block);
	return NULL;
}

int main(void)
{
	pthread_t one, other;
	int *mine = malloc(sizeof *mine);
	block = mine;
	pthread_create(&one, NULL, take, NULL);
	*mine = 1;
	pthread_create(&other, NULL, take, NULL);
	pthread_join(one, NULL);
	pthread_join(other, NULL);
	return 0;
}
