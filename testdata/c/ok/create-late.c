// The main thread hears of the first thread before it creates the second one, and then writes what the first
// one reads: the second one is there in all executions, also in those in which the first one reads that.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *first(void *arg)
{
	atomic_store(&y, 1);
	atomic_load(&x);
	return NULL;
}

static void *second(void *arg)
{
	atomic_store(&x, 2);
	return NULL;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, first, NULL);
	atomic_load(&y);
	pthread_create(&b, NULL, second, NULL);
	atomic_store(&x, 1);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
