// A thread gets the address of a local variable of a function that does not wait for it.
#include <pthread.h>
#include <stdatomic.h>

static pthread_t worker;

static void *finish(void *arg)
{
	atomic_int *result = arg;

	atomic_store(result, 1); // ERROR
	return NULL;
}

static void start(void)
{
	atomic_int result; // RELATED

	atomic_init(&result, 0);
	pthread_create(&worker, NULL, finish, &result);
}

int main(void)
{
	start();
	pthread_join(worker, NULL);
	return 0;
}
