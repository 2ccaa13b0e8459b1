#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int n;
static void *t(void *arg) { n = n + 1; return 0; }
int main(void)
{
	pthread_t i, j;
	pthread_create(&i, 0, t, 0);
	pthread_create(&j, 0, t, 0);
	pthread_join(i, 0);
	pthread_join(j, 0);
	assert(n == 2);
}
