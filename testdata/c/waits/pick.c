// Each thread takes any of two locks. If that is taken, it picks again, as a thief does that looks for a victim. HELD of them are never free.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#ifndef HELD
#define HELD 0
#endif
static atomic_int locks[2] = {HELD > 0, HELD > 1};
static int guarded[2];
static void *w(void *arg)
{
	int i;
	do
		i = rand() % 2;
	while (atomic_exchange_explicit(&locks[i], 1, memory_order_acquire));
	guarded[i]++;
	atomic_store_explicit(&locks[i], 0, memory_order_release);
	return NULL;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, w, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(guarded[0] + guarded[1] == 2);
}
