// A loop that changes memory for ever: it is not a spin loop, and has no end.
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint counter;

static void *count(void *arg)
{
	(void)arg;
	for (;;) {
		counter++;
	}
	return NULL;
}

int main(void)
{
	pthread_t p;

	pthread_create(&p, NULL, count, NULL);
	pthread_join(p, NULL);
	return 0;
}
