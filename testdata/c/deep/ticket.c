// A ticket lock: whoever takes number n goes in when n is called. There is no error.
#include "noise.h"

static atomic_int next, called;
static int shared;

static void *work(void *arg)
{
	for (int i = 0; i < 3; i++) {
		int mine = atomic_fetch_add_explicit(&next, 1, relaxed);
		while (atomic_load_explicit(&called, acquire) != mine)
			;
		shared++;
		atomic_store_explicit(&called, mine + 1, release);
	}
	return 0;
}

int main(void)
{
	run(4, work);
	assert(shared == 12);
}
