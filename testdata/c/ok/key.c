// Thread-specific data: each thread has its own, and the destructor runs for each that set it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_key_t key;
static atomic_int freed;

static void release(void *data)
{
	freed += *(int *)data;
	free(data);
}

static void *work(void *arg)
{
	int *mine = malloc(sizeof *mine);

	*mine = *(int *)arg;
	assert(pthread_getspecific(key) == NULL);
	pthread_setspecific(key, mine);
	assert(*(int *)pthread_getspecific(key) == *(int *)arg);
	return NULL;
}

int main(void)
{
	static int one = 1, ten = 10;
	pthread_t p1, p2;

	pthread_key_create(&key, release);
	pthread_create(&p1, NULL, work, &one);
	pthread_create(&p2, NULL, work, &ten);
	pthread_join(p1, NULL);
	pthread_join(p2, NULL);
	assert(pthread_getspecific(key) == NULL);
	assert(freed == 11);
	pthread_key_delete(key);
	return 0;
}
