// The reader waits at the barrier if it sees the flag, and the flag is set after the barrier was destroyed.
#include <pthread.h>
#include <stdatomic.h>

static pthread_barrier_t barrier;
static atomic_int flag;

static void *closer(void *arg)
{
	pthread_barrier_destroy(&barrier);
	atomic_store_explicit(&flag, 1, memory_order_release);
	return NULL;
}

int main(void)
{
	pthread_t t;
	pthread_barrier_init(&barrier, NULL, 1);
	pthread_create(&t, NULL, closer, NULL);
	if (atomic_load_explicit(&flag, memory_order_acquire))
		pthread_barrier_wait(&barrier);
	pthread_join(t, NULL);
	return 0;
}
