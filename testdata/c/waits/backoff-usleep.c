// A consumer that polls a flag and sleeps longer each time.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
static atomic_int ready;
static int data;
static void *producer(void *arg) {
	data = 42;
	atomic_store_explicit(&ready, 1, memory_order_release);
	return NULL;
}
static void *consumer(void *arg) {
	useconds_t us = 10;
	while (!atomic_load_explicit(&ready, memory_order_acquire)) {
		usleep(us);
		us = us * 2 > 10000 ? 10000 : us * 2;
	}
	assert(data == 42);
	return NULL;
}
int main(void) {
	pthread_t p, c;
	pthread_create(&c, NULL, consumer, NULL);
	pthread_create(&p, NULL, producer, NULL);
	pthread_join(p, NULL);
	pthread_join(c, NULL);
}
