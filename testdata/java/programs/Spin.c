#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flags[2];
static void *t(void *arg) { flags[1] = 7; return 0; }
int main(void)
{
	pthread_t i;
	pthread_create(&i, 0, t, 0);
	while (flags[1] == 0)
		;
	assert(flags[1] == 7);
}
