// A thread that is to run no function.
#include <pthread.h>

static void *(*volatile fn)(void *);

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, fn, NULL);
	pthread_join(t, NULL);
}
