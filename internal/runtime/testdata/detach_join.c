// POSIX leaves a join of a detached thread undefined.
// want: call join of a detached thread
#include <pthread.h>
static void *f(void *arg) { return arg; }
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, f, 0);
	pthread_detach(t);
	return pthread_join(t, 0);
}
