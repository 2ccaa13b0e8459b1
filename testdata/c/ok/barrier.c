// Two threads write their own half, meet at a barrier, and read the other half; one of them is told to be the last.
#define _XOPEN_SOURCE 700
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static pthread_barrier_t barrier;
static int half[2];
static atomic_int serial;

static void *meet(void *arg)
{
	int me = (intptr_t)arg;

	half[me] = me + 1;
	if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
		serial++;
	}
	assert(half[1 - me] == 2 - me);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&p1, NULL, meet, (void *)(intptr_t)0);
	pthread_create(&p2, NULL, meet, (void *)(intptr_t)1);
	pthread_join(p1, NULL);
	pthread_join(p2, NULL);
	assert(serial == 1);
	pthread_barrier_destroy(&barrier);
	return 0;
}
