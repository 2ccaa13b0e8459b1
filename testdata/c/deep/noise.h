// Threads that count, beside those with the error. A search that goes through all orders of their increments first does not come to the error.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef NOISE
#define NOISE 3
#endif

static atomic_int noise;

static void *make_noise(void *arg)
{
	for (int i = 0; i < 8; i++)
		atomic_fetch_add_explicit(&noise, 1, memory_order_relaxed);
	return 0;
}

// run starts n threads of the program and then the others, and waits for all.
static void run(int n, void *(*thread)(void *))
{
	pthread_t t[16];
	for (int i = 0; i < n + NOISE; i++)
		pthread_create(&t[i], 0, i < n ? thread : make_noise, (void *)(long)i);
	for (int i = 0; i < n + NOISE; i++)
		pthread_join(t[i], 0);
}

#define relaxed memory_order_relaxed
#define acquire memory_order_acquire
#define release memory_order_release
#ifdef RIGHT
#define RIGHT_OR(right, wrong) right
#else
#define RIGHT_OR(right, wrong) wrong
#endif
