// Nobody can tell whether a buffer that was freed is given out again: the executions are those of the two threads' exchanges.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_int turns;

static void *work(void *arg)
{
	for (int i = 0; i < 3; i++) {
		char *buffer = malloc(32);
		strcpy(buffer, "some text");
		free(buffer);
	}
	atomic_fetch_add(&turns, 1);
	return arg;
}

int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
