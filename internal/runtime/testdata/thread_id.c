// The name of a thread is there before the thread starts. Threads of several parents, so that names are not numbers in order.
// want: verified
// model: rc11 sc imm power
#include <assert.h>
#include <pthread.h>
#include <threads.h>
static pthread_t outer[2], inner[2];
static thrd_t other;
static int h(void *arg)
{
	assert(thrd_equal(other, thrd_current()));
	return 0;
}
static void *g(void *arg)
{
	assert(pthread_equal(inner[(long)arg], pthread_self()));
	return 0;
}
static void *f(void *arg)
{
	assert(pthread_equal(outer[(long)arg], pthread_self()));
	pthread_create(&inner[(long)arg], 0, g, arg);
	pthread_join(inner[(long)arg], 0);
	return 0;
}
int main(void)
{
	for (long i = 0; i < 2; i++)
		pthread_create(&outer[i], 0, f, (void *)i);
	thrd_create(&other, h, 0);
	for (long i = 0; i < 2; i++)
		pthread_join(outer[i], 0);
	thrd_join(other, 0);
}
