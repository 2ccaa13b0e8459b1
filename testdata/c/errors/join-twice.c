// A thread that was joined already is joined again.
#include <pthread.h>
#include <stddef.h>

static void *work(void *arg)
{
	return arg;
}

int main(void)
{
	pthread_t p;

	pthread_create(&p, NULL, work, NULL);
	pthread_join(p, NULL); // RELATED
	pthread_join(p, NULL); // ERROR
	return 0;
}
