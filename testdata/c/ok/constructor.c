// Functions that run before main, in the order of their priorities.
#include <assert.h>
#include <pthread.h>

static int order[3], n;
static pthread_mutex_t lock;

static void __attribute__((constructor(300))) third(void)
{
	order[n++] = 3;
}

static void __attribute__((constructor(200))) second(void)
{
	order[n++] = 2;
	pthread_mutex_init(&lock, NULL);
}

static void __attribute__((constructor(101))) first(void)
{
	order[n++] = 1;
}

static void *look(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	assert(n == 3);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t p;

	assert(n == 3 && order[0] == 1 && order[1] == 2 && order[2] == 3);
	pthread_create(&p, NULL, look, NULL);
	pthread_join(p, NULL);
	return 0;
}
