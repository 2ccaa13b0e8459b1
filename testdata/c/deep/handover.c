// Buffers go round between a producer and two consumers, by two semaphores and a lock for the indices. There is no error.
#include <semaphore.h>
#include "noise.h"

enum { SLOTS = 2, ITEMS = 6 };
static int slot[SLOTS], first, last, sum;
static sem_t empty, full;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
	for (int i = 0; i < (arg ? ITEMS / 2 : ITEMS); i++) {
		sem_wait(arg ? &full : &empty);
		pthread_mutex_lock(&mutex);
		if (arg)
			sum += slot[first++ % SLOTS];
		else
			slot[last++ % SLOTS] = i;
		pthread_mutex_unlock(&mutex);
		sem_post(arg ? &empty : &full);
	}
	return 0;
}

int main(void)
{
	sem_init(&empty, 0, SLOTS);
	sem_init(&full, 0, 0);
	run(3, work);
	assert(sum == ITEMS * (ITEMS - 1) / 2);
}
