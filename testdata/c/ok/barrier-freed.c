// One of the threads that meet at a barrier destroys it at once, while others may still be on their way out: glibc waits for them.
//
// -DLOCAL: it ends with the function that it is a variable of; otherwise it is freed
#include <pthread.h>
#include <stdlib.h>

static void *meet(void *barrier)
{
	int last = pthread_barrier_wait(barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
#ifndef LOCAL
	if (last) {
		pthread_barrier_destroy(barrier);
		free(barrier);
	}
#endif
	return last ? barrier : NULL;
}

#ifdef LOCAL
static pthread_t start(void)
{
	pthread_barrier_t barrier;
	pthread_t t;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&t, NULL, meet, &barrier);
	pthread_barrier_wait(&barrier);
	pthread_barrier_destroy(&barrier);
	return t;
}

int main(void)
{
	pthread_join(start(), NULL);
}
#else
int main(void)
{
	pthread_barrier_t *barrier = malloc(sizeof *barrier);
	pthread_t t, u;

	pthread_barrier_init(barrier, NULL, 2);
	pthread_create(&t, NULL, meet, barrier);
	pthread_create(&u, NULL, meet, barrier);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
}
#endif
