// A spin loop that no thread ever releases.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int go, done;

static void *waiter(void *arg)
{
	(void)arg;
	while (!atomic_load_explicit(&go, memory_order_acquire)) { // ERROR
	}
	atomic_store(&done, 1);
	return NULL;
}

static void *other(void *arg)
{
	(void)arg;
	atomic_store(&done, 2);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;

	pthread_create(&p1, NULL, waiter, NULL);
	pthread_create(&p2, NULL, other, NULL);
	pthread_join(p1, NULL);
	pthread_join(p2, NULL);
	return 0;
}
