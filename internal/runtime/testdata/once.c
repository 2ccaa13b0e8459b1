// want: verified 2
#include <assert.h>
#include <pthread.h>
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int x;
static void init(void) { x++; }
static void *f(void *arg)
{
	pthread_once(&once, init);
	assert(x == 1);
	return 0;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, f, 0);
	f(0);
	pthread_join(t, 0);
}
