// N threads meet at a barrier ROUNDS times. COUNT has each count before it waits.
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

static pthread_barrier_t barrier;
static atomic_int count;

static void *meet(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
#ifdef COUNT
		atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
#endif
		pthread_barrier_wait(&barrier);
	}
	return 0;
}

int main(void)
{
	pthread_t t[N];
	pthread_barrier_init(&barrier, 0, N);
	for (int i = 0; i < N; i++)
		pthread_create(&t[i], 0, meet, 0);
	for (int i = 0; i < N; i++)
		pthread_join(t[i], 0);
}
