// _Thread_local variables: each thread starts from the initial values and sees only its own.
#include <assert.h>
#include <pthread.h>

static _Thread_local int counter = 10;
static _Thread_local int cells[3];
static _Thread_local int *last = NULL;

static void step(int by)
{
	counter += by;
	cells[1] += by;
	last = &cells[1];
}

static void *work(void *arg)
{
	int by = *(int *)arg;

	assert(counter == 10 && cells[1] == 0 && last == NULL);
	step(by);
	step(by);
	assert(counter == 10 + 2 * by && *last == 2 * by);
	return NULL;
}

int main(void)
{
	static int one = 1, five = 5;
	pthread_t p1, p2;

	step(100);
	pthread_create(&p1, NULL, work, &one);
	pthread_create(&p2, NULL, work, &five);
	pthread_join(p1, NULL);
	pthread_join(p2, NULL);
	assert(counter == 110 && cells[1] == 100);
	return 0;
}
