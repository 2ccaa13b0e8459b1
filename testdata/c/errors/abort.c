// abort() on a path that only one order of the threads takes.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int stage;

static void *advance(void *arg)
{
	(void)arg;
	atomic_store(&stage, 1);
	return NULL;
}

int main(void)
{
	pthread_t p;

	pthread_create(&p, NULL, advance, NULL);
	if (atomic_load(&stage) == 1) {
		abort(); // ERROR
	}
	pthread_join(p, NULL);
	return 0;
}
