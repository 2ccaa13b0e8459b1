// Threads compute in phases, with a barrier between: each reads what its neighbours wrote in the phase before. There is no error.
#include "noise.h"

enum { THREADS = 4, PHASES = 4 };
static int value[PHASES + 1][THREADS];
static pthread_barrier_t barrier;

static void *work(void *arg)
{
	long me = (long)arg;
	for (int p = 0; p < PHASES; p++) {
		value[p + 1][me] = value[p][me] + value[p][(me + 1) % THREADS] + 1;
		pthread_barrier_wait(&barrier);
	}
	assert(value[PHASES][me] == (1 << PHASES) - 1);
	return 0;
}

int main(void)
{
	pthread_barrier_init(&barrier, 0, THREADS);
	run(THREADS, work);
}
