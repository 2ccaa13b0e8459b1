// A log. The writer publishes each record by a counter, the last one too weakly if two readers have caught up: Arm may make the counter visible first.
#include "noise.h"

enum { RECORDS = 5 };
static atomic_int record[RECORDS], length, caught_up;

static void *work(void *arg)
{
	if (!arg)
		for (int i = 0; i < RECORDS; i++) {
			int weak = i == RECORDS - 1 && atomic_load_explicit(&caught_up, relaxed) == 2;
			atomic_store_explicit(&record[i], i + 1, relaxed);
			atomic_store_explicit(&length, i + 1, weak ? RIGHT_OR(release, relaxed) : release);
		}
	else
		for (int i = 0, n; i < RECORDS; i = n) {
			while ((n = atomic_load_explicit(&length, acquire)) == i)
				;
			assert(atomic_load_explicit(&record[n - 1], relaxed) == n);
			if (n == RECORDS - 1)
				atomic_fetch_add_explicit(&caught_up, 1, relaxed);
		}
	return 0;
}

int main(void) { run(3, work); }
