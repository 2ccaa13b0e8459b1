// A return of main ends the program: no detached thread waits for ever.
// want: verified 1
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *f(void *arg)
{
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	return 0;
}
int main(void)
{
	pthread_mutex_lock(&m);
	pthread_t t;
	pthread_create(&t, 0, f, 0);
	pthread_detach(t);
}
