// Two rounds, in each of which either thread may be the last.
// want: verified 4
#include <assert.h>
#include <pthread.h>
static pthread_barrier_t b;
static int x, y, serial[2];
static void *f(void *arg)
{
	x = 1;
	if (pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD)
		serial[0]++;
	assert(y == 1);
	if (pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD)
		serial[1]++;
	return 0;
}
int main(void)
{
	pthread_t t;
	pthread_barrier_init(&b, 0, 2);
	pthread_create(&t, 0, f, 0);
	y = 1;
	if (pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD)
		serial[0]++;
	assert(x == 1);
	if (pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD)
		serial[1]++;
	pthread_join(t, 0);
	assert(serial[0] == 1 && serial[1] == 1);
	pthread_barrier_destroy(&b);
}
