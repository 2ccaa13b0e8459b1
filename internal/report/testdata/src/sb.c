#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>

atomic_int x, y;
int r1, r2;

void *left(void *arg)
{
	atomic_store_explicit(&x, 1, memory_order_release);
	r1 = atomic_load_explicit(&y, memory_order_acquire);
	return NULL;
}

void *right(void *arg)
{
	atomic_store_explicit(&y, 1, memory_order_release);
	r2 = atomic_load_explicit(&x, memory_order_acquire);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, left, NULL);
	pthread_create(&b, NULL, right, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(r1 == 1 || r2 == 1);
	return 0;
}
