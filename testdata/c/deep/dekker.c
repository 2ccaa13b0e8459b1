// Dekker's entry, tried several times. Volatile accesses of Java are in one order; in the third round the accesses only release and acquire.
#include "noise.h"

enum { ROUNDS = 4 };
static atomic_int wants[ROUNDS][2], inside[ROUNDS];

static void *work(void *arg)
{
	long me = (long)arg;
	for (int r = 0; r < ROUNDS; r++) {
		int other;
		if (RIGHT_OR(1, r != 2)) {
			atomic_store(&wants[r][me], 1);
			other = atomic_load(&wants[r][!me]);
		} else {
			atomic_store_explicit(&wants[r][me], 1, release);
			other = atomic_load_explicit(&wants[r][!me], acquire);
		}
		if (!other)
			assert(atomic_fetch_add(&inside[r], 1) == 0);
	}
	return 0;
}

int main(void) { run(2, work); }
