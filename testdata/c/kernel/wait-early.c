// Under the kernel's model a write behind a loop that waits may be performed before the loop ends. Here it lets the loop end: waiter writes x, other copies it to y.
#include <lkmm.h>
#include <pthread.h>
#include <assert.h>

static int x, y, z, seen;

static void *waiter(void *arg)
{
	if (READ_ONCE(z)) {
		while (READ_ONCE(y) != 1)
			;
		WRITE_ONCE(x, 1);
		seen = 1;
	}
	return NULL;
}

static void *other(void *arg)
{
	int r = READ_ONCE(x);
	WRITE_ONCE(y, r);
	return NULL;
}

static void *start(void *arg)
{
	WRITE_ONCE(z, 1);
	return NULL;
}

int main(void)
{
	pthread_t a, b, c;
	pthread_create(&a, NULL, waiter, NULL);
	pthread_create(&b, NULL, other, NULL);
	pthread_create(&c, NULL, start, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	pthread_join(c, NULL);
	assert(!seen);
}
