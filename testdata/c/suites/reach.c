// A call of reach_error is an error whatever its body does.
#include <pthread.h>

void reach_error(void) {}

static void check(int c)
{
	if (!c)
		reach_error();
}

int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *writer(void *arg)
{
	pthread_mutex_lock(&m);
	x = 1;
	pthread_mutex_unlock(&m);
	return 0;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, writer, 0);
	pthread_mutex_lock(&m);
	check(x == 0);
	pthread_mutex_unlock(&m);
	return 0;
}
