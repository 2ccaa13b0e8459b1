// Threads meet again and again by counting. In the second round the last one forgets the arrivals after it has opened the next: one may be lost.
#include "noise.h"

enum { THREADS = 3, ROUNDS = 3 };
static atomic_int arrived, round_now, done[ROUNDS];

static void meet(int round)
{
	if (atomic_fetch_add(&arrived, 1) + 1 == THREADS) {
		if (RIGHT_OR(1, round != 1))
			atomic_store(&arrived, 0);
		atomic_store(&round_now, round + 1);
		if (RIGHT_OR(0, round == 1))
			atomic_store(&arrived, 0);
	}
	while (atomic_load(&round_now) <= round)
		;
}

static void *work(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		atomic_fetch_add(&done[i], 1);
		meet(i);
		assert(done[i] == THREADS);
	}
	return 0;
}

int main(void) { run(THREADS, work); }
