// A ring with one writer and one reader. The writer publishes its last item too weakly if the reader lags behind by two, and did by three before.
#include "noise.h"

enum { SIZE = 4, ITEMS = 6 };
static int slot[SIZE];
static atomic_int head, tail;

static void *work(void *arg)
{
	if (!arg)
		for (int i = 0, h = 0, lag; i < ITEMS; i++) {
			lag = i - 1 - h;
			while (i - (h = atomic_load_explicit(&head, acquire)) == SIZE)
				;
			slot[i % SIZE] = i;
			if (i == ITEMS - 1 && i - h == 2 && lag == 3)
				atomic_store_explicit(&tail, i + 1, RIGHT_OR(release, relaxed));
			else
				atomic_store_explicit(&tail, i + 1, release);
		}
	else
		for (int i = 0; i < ITEMS; i++) {
			while (atomic_load_explicit(&tail, acquire) == i)
				;
			assert(slot[i % SIZE] == i);
			atomic_store_explicit(&head, i + 1, release);
		}
	return 0;
}

int main(void) { run(2, work); }
