// A value that the first of several threads makes. A thread that sees the flag need not see the value if it is the third one inside.
#include "noise.h"

static atomic_int ready, inside;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *work(void *arg)
{
	int third = atomic_fetch_add_explicit(&inside, 1, relaxed) == 2;
	int seen = third ? atomic_load_explicit(&ready, RIGHT_OR(acquire, relaxed)) : atomic_load_explicit(&ready, acquire);
	if (!seen) {
		pthread_mutex_lock(&mutex);
		if (!atomic_load_explicit(&ready, relaxed)) {
			value = 42;
			atomic_store_explicit(&ready, 1, release);
		}
		pthread_mutex_unlock(&mutex);
	}
	assert(value == 42);
	atomic_fetch_sub_explicit(&inside, 1, relaxed);
	return 0;
}

int main(void) { run(4, work); }
