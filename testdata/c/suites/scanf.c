// Input is whatever the environment has, and reading it is a write of the variable.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

int x;

void *thread(void *arg)
{
#ifdef RACE
	x++;
#endif
	return 0;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, thread, 0);
	int n = scanf("%d", &x);
#ifdef SURE
	assert(n == 1);
#endif
	return 0;
}
