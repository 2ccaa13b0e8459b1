// A mutex is unlocked twice.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

int main(void)
{
	pthread_mutex_lock(&lock);
	counter++;
	pthread_mutex_unlock(&lock);
	pthread_mutex_unlock(&lock); // ERROR
	return 0;
}
