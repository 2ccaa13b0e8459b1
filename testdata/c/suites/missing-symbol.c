// A call of a function that nobody defines, on one of two paths.
#include <pthread.h>
#include <stdatomic.h>

void nobody_defines_this(int value);

static atomic_int x;

static void *raise_x(void *arg)
{
	(void)arg;
	atomic_store(&x, 1);
	return NULL;
}

int main(void)
{
	pthread_t p;

	pthread_create(&p, NULL, raise_x, NULL);
	int value = atomic_load(&x);
	if (value) {
		nobody_defines_this(value);
	}
	pthread_join(p, NULL);
	return 0;
}
