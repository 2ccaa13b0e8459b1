#include <assert.h>
#include <pthread.h>
static int n;
static pthread_mutex_t m;
static void set(int v)
{
	pthread_mutex_lock(&m);
	n = v;
	pthread_mutex_unlock(&m);
}
static void *t(void *arg)
{
	pthread_mutex_lock(&m);
	set(n + 1);
	pthread_mutex_unlock(&m);
	return 0;
}
int main(void)
{
	pthread_t i[3];
	pthread_mutexattr_t a;
	pthread_mutexattr_init(&a);
	pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&m, &a);
	for (int k = 0; k < 3; k++)
		pthread_create(&i[k], 0, t, 0);
	for (int k = 0; k < 3; k++)
		pthread_join(i[k], 0);
	pthread_mutex_lock(&m);
	assert(n == 3);
	pthread_mutex_unlock(&m);
}
