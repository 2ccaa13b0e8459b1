#include "ticket.h"

#include <assert.h>
#include <pthread.h>

static struct ticket_lock lock;
static int shared;

static void *work(void *unused)
{
	ticket_acquire(&lock);
	shared++;
	ticket_release(&lock);
	return 0;
}

int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, work, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	assert(shared == 2);
	return 0;
}
