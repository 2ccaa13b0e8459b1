// Arrivals at a barrier, of which one order is explored, and stores after it.
#include "more.h"
static pthread_barrier_t b;
static atomic_int x, y;
static void *thread(void *a)
{
	atomic_fetch_add(&x, 1);
	pthread_barrier_wait(&b);
	atomic_store(&y, (int)(long)a);
	atomic_load(&y);
	return 0;
}
int main(void)
{
	pthread_t t[N];
	pthread_barrier_init(&b, 0, N);
	for (long i = 0; i < N; i++)
		pthread_create(&t[i], 0, thread, (void *)i);
	more();
	for (int i = 0; i < N; i++)
		pthread_join(t[i], 0);
}
