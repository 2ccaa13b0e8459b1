// A consumer keeps what it has last seen of the producer's index, and stores it in each round, as in rigtorp's SPSC queue.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int written, taken;
static int seen, data;

static void *produce(void *arg)
{
	data = 1;
	atomic_store_explicit(&written, 1, memory_order_release);
	return 0;
}

static int *front(void)
{
	int at = atomic_load_explicit(&taken, memory_order_relaxed);
	if (at == seen) {
		seen = atomic_load_explicit(&written, memory_order_acquire);
		if (seen == at)
			return 0;
	}
	return &data;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, produce, 0);
	while (!front())
		;
	assert(*front() == 1);
	pthread_join(t, 0);
}
