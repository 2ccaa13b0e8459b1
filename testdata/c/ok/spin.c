// A hand-made test-and-set lock, spinning with an exchange, and a reader that spins on a flag.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_flag lock = ATOMIC_FLAG_INIT;
static atomic_int done;
static int counter;

static void *increment(void *arg)
{
	(void)arg;
	while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire)) {
	}
	counter++;
	atomic_flag_clear_explicit(&lock, memory_order_release);
	atomic_fetch_add_explicit(&done, 1, memory_order_release);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;

	pthread_create(&p1, NULL, increment, NULL);
	pthread_create(&p2, NULL, increment, NULL);
	while (atomic_load_explicit(&done, memory_order_acquire) != 2) {
	}
	assert(counter == 2);
	pthread_join(p1, NULL);
	pthread_join(p2, NULL);
	return 0;
}
