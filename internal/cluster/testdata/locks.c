// A mutex, a spinlock with an exchange, and a thread that polls: threads that wait.
#include "more.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int spin, flag;
static int n, k;
static void *worker(void *a)
{
	pthread_mutex_lock(&m);
	n++;
	pthread_mutex_unlock(&m);
	while (atomic_exchange(&spin, 1))
		;
	k++;
	atomic_store(&spin, 0);
	atomic_fetch_add(&flag, 1);
	return 0;
}
static void *poller(void *a)
{
	while (atomic_load(&flag) < 1)
		;
	atomic_load(&flag);
	return 0;
}
int main(void)
{
	pthread_t t[N + 1];
	for (int i = 0; i < N; i++)
		pthread_create(&t[i], 0, worker, 0);
	pthread_create(&t[N], 0, poller, 0);
	more();
	for (int i = 0; i <= N; i++)
		pthread_join(t[i], 0);
	return n != N || k != N;
}
