// Two threads initialise a barrier that neither has destroyed.
#include <pthread.h>

static pthread_barrier_t barrier;

static void *other(void *arg)
{
	pthread_barrier_init(&barrier, NULL, 2);
	return NULL;
}

int main(void)
{
	pthread_t t;
	pthread_barrier_init(&barrier, NULL, 1);
	pthread_barrier_wait(&barrier);
	pthread_create(&t, NULL, other, NULL);
	pthread_join(t, NULL);
	return 0;
}
