// A bounded buffer whose consumer looks whether it is empty before it takes the lock: a signal may be lost.
#include <pthread.h>
#include <stdatomic.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
atomic_int count;

void *produce(void *unused)
{
	atomic_store(&count, 1);
	pthread_mutex_lock(&m);
	pthread_cond_signal(&filled);
	pthread_mutex_unlock(&m);
	return 0;
}

void *consume(void *unused)
{
	if (atomic_load(&count) == 0) {
		pthread_mutex_lock(&m);
#ifdef RIGHT
		while (atomic_load(&count) == 0)
#endif
			pthread_cond_wait(&filled, &m);
		pthread_mutex_unlock(&m);
	}
	atomic_store(&count, 0);
	return 0;
}

int main()
{
	pthread_t a, b;
	pthread_create(&a, 0, consume, 0);
	pthread_create(&b, 0, produce, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
}
