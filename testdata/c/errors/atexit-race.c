// Nobody waits for the thread, so it races with what main runs at exit.
#include <pthread.h>
#include <stdlib.h>

static int x;

static void handler(void)
{
	x = 1;
}

static void *thread(void *arg)
{
	x = 2;
	return NULL;
}

int main(void)
{
	pthread_t t;
	atexit(handler);
	pthread_create(&t, NULL, thread, NULL);
	return 0;
}
