// want: verified 2
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void *f(void *arg)
{
	pthread_mutex_lock(&m);
	x++;
	pthread_mutex_unlock(&m);
	return arg;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, f, (void *)3);
	pthread_create(&b, 0, f, (void *)4);
	void *r;
	pthread_join(a, &r);
	assert(r == (void *)3);
	pthread_join(b, 0);
	assert(x == 2);
}
