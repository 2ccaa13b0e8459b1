#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>

int data;
atomic_int flag;

void *writer(void *arg)
{
	data = 42;
	atomic_store_explicit(&flag, 1, memory_order_relaxed);
	return NULL;
}

void *reader(void *arg)
{
	if (atomic_load_explicit(&flag, memory_order_acquire))
		assert(data == 42);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, writer, NULL);
	pthread_create(&b, NULL, reader, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
