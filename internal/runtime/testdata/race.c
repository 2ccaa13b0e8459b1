// The lock is the wrong one.
// want: race
#include <pthread.h>
static pthread_mutex_t m[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int x;
static void *f(void *arg)
{
	pthread_mutex_lock(arg);
	x++;
	pthread_mutex_unlock(arg);
	return 0;
}
int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, f, &m[0]);
	pthread_create(&u, 0, f, &m[1]);
	pthread_join(t, 0);
	pthread_join(u, 0);
}
