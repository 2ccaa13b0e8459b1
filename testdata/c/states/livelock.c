// Two threads take two locks in opposite order and give the first one back if the second is taken: no deadlock, but
// they may go on like that for ever. -DMORE=n gives each n things to do afterwards.
#include <pthread.h>
#include <stdatomic.h>

atomic_int lock[2];

int try(atomic_int *l)
{
	int free = 0;
	return atomic_compare_exchange_strong(l, &free, 1);
}

void *both(void *arg)
{
	long first = (long)arg;
	for (;;) {
		while (!try(&lock[first]))
			;
		if (try(&lock[1 - first]))
			break;
		atomic_store(&lock[first], 0);
	}
	atomic_store(&lock[1 - first], 0);
	atomic_store(&lock[first], 0);
#ifdef MORE
	static atomic_int work[2];
	for (int i = 1; i < MORE; i++)
		atomic_store(&work[first], i);
#endif
	return 0;
}

int main()
{
	pthread_t a, b;
	pthread_create(&a, 0, both, (void *)0);
	pthread_create(&b, 0, both, (void *)1);
	pthread_join(a, 0);
	pthread_join(b, 0);
}
