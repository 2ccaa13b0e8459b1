// want: verified 1
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static int x, y;
static void nothing(void *arg) { x = 1; }
static void deep(int n)
{
	if (n == 0)
		pthread_exit((void *)7);
	deep(n - 1);
}
static void *grandchild(void *arg)
{
	y = 1;
	return arg;
}
static void *child(void *arg)
{
	pthread_t t;
	assert(!pthread_equal(pthread_self(), *(pthread_t *)arg));
	pthread_create(&t, 0, grandchild, 0);
	pthread_join(t, 0);
	deep(3);
	return 0;
}
int main(void)
{
	pthread_t self = pthread_self(), t;
	pthread_attr_t attr;
	void *r;
	assert(pthread_equal(self, pthread_self()));
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 1 << 16);
	pthread_create(&t, &attr, (void *(*)(void *))(void *)nothing, 0);
	pthread_join(t, 0);
	assert(x == 1);
	pthread_create(&t, 0, child, &self);
	pthread_join(t, &r);
	assert(r == (void *)7 && y == 1);
	pthread_attr_destroy(&attr);
	pthread_exit(0);
}
