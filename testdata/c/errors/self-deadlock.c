// A thread locks a mutex that it holds already.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance;

static void add(int amount)
{
	pthread_mutex_lock(&lock); // ERROR
	balance += amount;
	pthread_mutex_unlock(&lock);
}

int main(void)
{
	pthread_mutex_lock(&lock); // RELATED
	if (balance == 0) {
		add(1);
	}
	pthread_mutex_unlock(&lock);
	return 0;
}
