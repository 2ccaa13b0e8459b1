// want: verified 2
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static void *f(void *arg)
{
	x = 1;
	return 0;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, f, 0);
	pthread_detach(t);
	return x;
}
