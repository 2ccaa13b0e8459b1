// Dining philosophers: with -DLEFT all take the left fork first, and so may wait for each other.
#include <pthread.h>

#ifndef N
#define N 3
#endif

pthread_mutex_t fork_[N];

void *eat(void *arg)
{
	long i = (long)arg;
	long a = i, b = (i + 1) % N;
#ifndef LEFT
	if (a > b) {
		long c = a;
		a = b;
		b = c;
	}
#endif
	pthread_mutex_lock(&fork_[a]);
	pthread_mutex_lock(&fork_[b]);
	pthread_mutex_unlock(&fork_[b]);
	pthread_mutex_unlock(&fork_[a]);
	return 0;
}

int main()
{
	pthread_t t[N];
	for (long i = 0; i < N; i++)
		pthread_create(&t[i], 0, eat, (void *)i);
	for (int i = 0; i < N; i++)
		pthread_join(t[i], 0);
}
