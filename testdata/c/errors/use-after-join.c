// A thread frees what main uses once it has joined it.
#include <pthread.h>
#include <stdlib.h>

static void *drop(void *arg)
{
	free(arg);
	return NULL;
}

int main(void)
{
	pthread_t t;
	int *p = malloc(sizeof *p);
	*p = 1;
	pthread_create(&t, NULL, drop, p);
	pthread_join(t, NULL);
	return *p;
}
