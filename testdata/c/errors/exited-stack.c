// pthread_exit ends the thread, and with it the variables of the functions that have not returned.
#include <pthread.h>
#include <stdatomic.h>

static _Atomic(int *) shared;

static void leave(int *p)
{
	shared = p;
	pthread_exit(NULL); // RELATED
}

static void *thread(void *arg)
{
	int local = 0;
	leave(&local);
	return NULL;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, thread, NULL);
	pthread_join(t, NULL);
	return *shared; // ERROR
}
