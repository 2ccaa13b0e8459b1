// Attributes keep what they are set to; wrong values are refused.
// want: verified 1
#include <assert.h>
#include <errno.h>
#include <pthread.h>
static void *f(void *arg) { return arg; }
int main(void)
{
	pthread_attr_t a;
	pthread_attr_init(&a);
	int i;
	size_t n;
	void *stack;
	static char memory[32768];
	struct sched_param p = {7};
	assert(pthread_attr_getdetachstate(&a, &i) == 0 && i == PTHREAD_CREATE_JOINABLE);
	assert(pthread_attr_setdetachstate(&a, 5) == EINVAL);
	assert(pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED) == 0);
	assert(pthread_attr_getdetachstate(&a, &i) == 0 && i == PTHREAD_CREATE_DETACHED);
	assert(pthread_attr_setdetachstate(&a, PTHREAD_CREATE_JOINABLE) == 0);
	assert(pthread_attr_setstacksize(&a, 1) == EINVAL);
	assert(pthread_attr_setstacksize(&a, 65536) == 0);
	assert(pthread_attr_getstacksize(&a, &n) == 0 && n == 65536);
	assert(pthread_attr_setguardsize(&a, 0) == 0);
	assert(pthread_attr_getguardsize(&a, &n) == 0 && n == 0);
	assert(pthread_attr_setstack(&a, memory, sizeof memory) == 0);
	assert(pthread_attr_getstack(&a, &stack, &n) == 0 && stack == memory && n == sizeof memory);
	assert(pthread_attr_setschedpolicy(&a, SCHED_RR) == 0);
	assert(pthread_attr_getschedpolicy(&a, &i) == 0 && i == SCHED_RR);
	assert(pthread_attr_setschedparam(&a, &p) == 0);
	p.sched_priority = 0;
	assert(pthread_attr_getschedparam(&a, &p) == 0 && p.sched_priority == 7);
	assert(pthread_attr_setinheritsched(&a, PTHREAD_EXPLICIT_SCHED) == 0);
	assert(pthread_attr_getinheritsched(&a, &i) == 0 && i == PTHREAD_EXPLICIT_SCHED);
	pthread_t t;
	assert(pthread_create(&t, &a, f, &i) == 0);
	assert(pthread_join(t, &stack) == 0 && stack == &i);
	pthread_attr_destroy(&a);
}
