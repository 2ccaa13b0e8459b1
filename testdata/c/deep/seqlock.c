// A sequence lock whose reader may read the second half of the data after it has looked at the number again.
#include "noise.h"

static atomic_int number, low, high;

static void *work(void *arg)
{
	if (!arg)
		for (int i = 1; i <= 3; i++) {
			atomic_store_explicit(&number, 2 * i - 1, relaxed);
			atomic_thread_fence(release);
			atomic_store_explicit(&low, i, relaxed);
			atomic_store_explicit(&high, i, relaxed);
			atomic_store_explicit(&number, 2 * i, release);
		}
	else
		for (int i = 0; i < 3; i++) {
			int before = atomic_load_explicit(&number, acquire);
			int l = atomic_load_explicit(&low, relaxed), h = atomic_load_explicit(&high, relaxed);
#ifdef RIGHT
			atomic_thread_fence(acquire);
#endif
			int after = atomic_load_explicit(&number, relaxed);
			assert(before % 2 || before != after || l == h);
		}
	return 0;
}

int main(void) { run(2, work); }
