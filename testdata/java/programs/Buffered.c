#include <pthread.h>
static int x, y;
static void *t(void *arg)
{
	int r = x;
	y = 1;
	return 0;
}
int main(void)
{
	pthread_t i;
	pthread_create(&i, 0, t, 0);
	int r = y;
	x = 1;
}
