#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static int a, b;
static atomic_int count;
static void down(void)
{
	int now;
	do {
		now = count;
		if (now == 0)
			return;
	} while (!atomic_compare_exchange_strong(&count, &now, now - 1));
}
static void *t(void *arg)
{
	a = 1;
	down();
	return 0;
}
static void *u(void *arg)
{
	b = 1;
	down();
	return 0;
}
int main(void)
{
	pthread_t i, j;
	count = 2;
	pthread_create(&i, 0, t, 0);
	pthread_create(&j, 0, u, 0);
	while (count != 0)
		;
	assert(a + b == 2);
}
