// Only the new thread may rely on it: another one races with pthread_create.
// want: race
#include <pthread.h>
static pthread_t id;
static void *g(void *arg) { return 0; }
static void *f(void *arg) { return (void *)(id == 0); }
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, f, 0);
	pthread_create(&id, 0, g, 0);
	pthread_join(t, 0);
	pthread_join(id, 0);
}
