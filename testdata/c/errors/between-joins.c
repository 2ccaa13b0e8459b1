/*
 * Of two threads with one function, the first that takes a ticket waits for ever. main joins one, stores to a block, and joins the other: it only comes to the store if
 * the second ticket is that of the thread that it joins first. The store is an error.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int tickets, never;
static int *block;

static void *take(void *arg)
{
	if (atomic_fetch_add(&tickets, 1) == 0)
		while (!never)
			;
	return NULL;
}

static void *other(void *arg)
{
#ifdef RACE
	*block = 2;
#elif defined FREE
	free(block);
#endif
	return NULL;
}

int main(void)
{
	pthread_t third, one, two;
	int *mine = malloc(sizeof *mine);
	block = mine;
#ifdef FREED
	free(mine);
#endif
	pthread_create(&third, NULL, other, NULL);
	pthread_create(&one, NULL, take, NULL);
	pthread_create(&two, NULL, take, NULL);
	pthread_join(one, NULL);
#ifdef BEYOND
	mine[1] = 1;
#else
	*mine = 1;
#endif
	pthread_join(two, NULL);
	pthread_join(third, NULL);
	return 0;
}
