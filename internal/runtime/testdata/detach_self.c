// A thread detaches itself while main waits for it: one of the two is wrong, whichever comes first.
// want: call
#include <pthread.h>
static void *f(void *arg)
{
	pthread_detach(pthread_self());
	return 0;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, f, 0);
	pthread_join(t, 0);
}
