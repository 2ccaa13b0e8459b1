// Two threads initialise the same thing: it happens once, and both see it.
#include <assert.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int table, calls;

static void init(void)
{
	table = 42;
	calls++;
}

static void *use(void *arg)
{
	(void)arg;
	pthread_once(&once, init);
	assert(table == 42);
	return NULL;
}

int main(void)
{
	pthread_t p1, p2;

	pthread_create(&p1, NULL, use, NULL);
	pthread_create(&p2, NULL, use, NULL);
	pthread_join(p1, NULL);
	pthread_join(p2, NULL);
	assert(calls == 1);
	return 0;
}
