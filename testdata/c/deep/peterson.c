// Peterson's lock, taken several times. Without a fence both threads are inside where stores are buffered.
#include "noise.h"

static atomic_int wants[2], turn, inside;

static void *work(void *arg)
{
	long me = (long)arg;
	for (int i = 0; i < 4; i++) {
		atomic_store_explicit(&wants[me], 1, release);
		atomic_store_explicit(&turn, !me, release);
		if (RIGHT_OR(1, i < 3)) // it is missing once
			atomic_thread_fence(memory_order_seq_cst);
		while (atomic_load_explicit(&wants[!me], acquire) && atomic_load_explicit(&turn, acquire) == !me)
			;
		assert(atomic_fetch_add_explicit(&inside, 1, relaxed) == 0);
		atomic_fetch_sub_explicit(&inside, 1, relaxed);
		atomic_store_explicit(&wants[me], 0, release);
	}
	return 0;
}

int main(void) { run(2, work); }
