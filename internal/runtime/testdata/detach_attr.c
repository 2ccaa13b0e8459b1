// A thread that is created detached can't be joined.
// want: call join of a detached thread
#include <pthread.h>
static void *f(void *arg) { return arg; }
int main(void)
{
	pthread_attr_t a;
	pthread_attr_init(&a);
	pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
	pthread_t t;
	pthread_create(&t, &a, f, 0);
	return pthread_join(t, 0);
}
