#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int n;
static void *t(void *arg) { atomic_fetch_add(&n, 1); return 0; }
int main(void)
{
	pthread_t i[3];
	for (int k = 0; k < 3; k++)
		pthread_create(&i[k], 0, t, 0);
	for (int k = 0; k < 3; k++)
		pthread_join(i[k], 0);
	assert(n == 3);
}
