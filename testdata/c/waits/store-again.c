// A thread stores 1 again and again while it waits. Between two of these stores another thread stores 2, and then reads 1.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int read;

static void *again(void *arg) {
	int r;
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	do {
		r = atomic_load_explicit(&y, memory_order_relaxed);
		atomic_store_explicit(&x, 1, memory_order_relaxed);
	} while (r == 0);
	return NULL;
}

static void *between(void *arg) {
	atomic_store_explicit(&x, 2, memory_order_relaxed);
	read = atomic_load_explicit(&x, memory_order_relaxed);
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	return NULL;
}

int main(void) {
	pthread_t a, b;
	pthread_create(&a, NULL, again, NULL);
	pthread_create(&b, NULL, between, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(read != 1);
	return 0;
}
