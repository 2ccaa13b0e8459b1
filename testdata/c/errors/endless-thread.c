// A thread never ends and does nothing: what the others do is checked all the same.
#include <pthread.h>

static int x;

static void *forever(void *arg)
{
#ifdef RACE
	x = 1; // RACES
#endif
	for (;;) { // SPINS
	}
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, forever, NULL);
	x = 2;
#ifdef JOIN
	pthread_join(t, NULL);
#endif
	return 0;
}
