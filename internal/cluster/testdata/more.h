// A thread that reads one of MORE + 1 values. A program with it has that many times as many executions.
#include <pthread.h>
#include <stdatomic.h>
#ifndef MORE
#define MORE 0
#endif
static atomic_int value;
static void *read_value(void *a)
{
	atomic_load(&value);
	return 0;
}
static void more(void)
{
	pthread_t t;
	if (MORE > 0)
		pthread_create(&t, 0, read_value, 0);
	for (int i = 1; i <= MORE; i++)
		atomic_store(&value, i);
}
