// Threads that start threads: their numbers depend on who comes first, unless all workers agree on them.
#include "more.h"
atomic_int x, y, z;
static void *inner(void *a)
{
	atomic_fetch_add(&x, 1);
	atomic_load(&y);
	return 0;
}
static void *outer(void *a)
{
	pthread_t t;
	if (atomic_load(&z) == 0)
		pthread_create(&t, 0, inner, a);
	atomic_fetch_add(&y, 1);
	atomic_store(&z, 1);
	atomic_load(&x);
	return 0;
}
int main(void)
{
	pthread_t t[N];
	for (int i = 0; i < N; i++)
		pthread_create(&t[i], 0, outer, 0);
	more();
	for (int i = 0; i < N; i++)
		pthread_join(t[i], 0);
}
