// Four critical sections in any order.
// want: verified 24
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m;
static int x;
static void *f(void *arg)
{
	pthread_mutex_lock(&m);
	x++;
	pthread_mutex_unlock(&m);
	return 0;
}
int main(void)
{
	pthread_t t[4];
	pthread_mutex_init(&m, 0);
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], 0, f, 0);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], 0);
	assert(x == 4);
	pthread_mutex_destroy(&m);
}
