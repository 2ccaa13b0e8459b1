// More threads than there is room for at first.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define N 40

atomic_int n;

void *add(void *unused)
{
	atomic_fetch_add(&n, 1);
	return 0;
}

int main()
{
	for (int i = 0; i < N; i++) {
		pthread_t t;
		pthread_create(&t, 0, add, 0);
		pthread_join(t, 0);
	}
	assert(n == N);
}
