// pthread_tryjoin_np and pthread_timedjoin_np end with or without the thread.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int data;

static void *set(void *arg)
{
	data = 1;
	return &data;
}

int main(void)
{
	pthread_t t;
	void *result = NULL;
	struct timespec now = {0, 0};
	pthread_create(&t, NULL, set, NULL);
	int first = pthread_tryjoin_np(t, &result);
	if (first == EBUSY) {
#ifdef EARLY
		data++;
#endif
		if (pthread_timedjoin_np(t, &result, &now) == ETIMEDOUT)
			pthread_join(t, &result);
	}
	assert(result == &data && data == 1);
	return 0;
}
