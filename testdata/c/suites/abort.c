// In a program that calls reach_error, abort only ends the execution: it is how SV-COMP's programs assume things.
#include <pthread.h>
#include <stdlib.h>

#ifdef REACH
void reach_error(void) {}
#else
#define reach_error() ((void)0)
#endif

int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

#ifdef NAMED
void assume_abort_if_not(int c)
{
	if (!c)
		abort();
}
#define assume(e) assume_abort_if_not(e)
#else
#define assume(e) \
	if (!(e)) { abort(); }
#endif

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
	int r = x;
	pthread_mutex_unlock(&m);
	assume(r == 1);
	if (r != 1)
		reach_error();
	pthread_join(t, 0);
	return 0;
}
