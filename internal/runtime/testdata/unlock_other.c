// want: call unlock of a mutex that
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *f(void *arg)
{
	pthread_mutex_unlock(&m);
	return 0;
}
int main(void)
{
	pthread_t t;
	pthread_mutex_lock(&m);
	pthread_create(&t, 0, f, 0);
	pthread_join(t, 0);
}
