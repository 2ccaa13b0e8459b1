// Either thread may be told that it is the last one at the barrier, also if the program calls it by a pointer.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static struct {
	int (*wait)(pthread_barrier_t *);
} ops = {pthread_barrier_wait};
static pthread_barrier_t barrier;
static intptr_t last;

static void *meet(void *me)
{
	if (ops.wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
		last = (intptr_t)me;
	return NULL;
}

int main(void)
{
	pthread_t t, u;
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&t, NULL, meet, (void *)1);
	pthread_create(&u, NULL, meet, (void *)2);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	assert(last != LAST);
	return 0;
}
