#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void eat(pthread_mutex_t *first, pthread_mutex_t *second)
{
	pthread_mutex_lock(first);
	pthread_mutex_lock(second);
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
}
static void *t(void *arg)
{
	eat(&a, &b);
	return 0;
}
int main(void)
{
	pthread_t i;
	pthread_create(&i, 0, t, 0);
	eat(&b, &a);
}
