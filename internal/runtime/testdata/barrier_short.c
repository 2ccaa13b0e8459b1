// want: deadlock
#include <pthread.h>
static pthread_barrier_t b;
static void *f(void *arg)
{
	pthread_barrier_wait(&b);
	return 0;
}
int main(void)
{
	pthread_t t;
	pthread_barrier_init(&b, 0, 3);
	pthread_create(&t, 0, f, 0);
	pthread_barrier_wait(&b);
}
