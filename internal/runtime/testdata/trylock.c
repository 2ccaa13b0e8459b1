// Either thread is first; the other fails, or comes later.
// want: verified 4
#include <assert.h>
#include <errno.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void *f(void *arg)
{
	int r = pthread_mutex_trylock(&m);
	assert(r == 0 || r == EBUSY);
	if (r == 0) {
		x++;
		pthread_mutex_unlock(&m);
	}
	return 0;
}
int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, f, 0);
	pthread_create(&u, 0, f, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	assert(x == 1 || x == 2);
}
