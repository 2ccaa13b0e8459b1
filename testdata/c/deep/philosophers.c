// Five philosophers, who eat twice. All may take their left fork at the same time.
#include "noise.h"

enum { SEATS = 5 };
static pthread_mutex_t fork_of[SEATS] = {
	PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
};

static void *dine(void *arg)
{
	long left = (long)arg, right = (left + 1) % SEATS;
	if (RIGHT_OR(left > right, 0)) {
		left = right;
		right = SEATS - 1;
	}
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&fork_of[left]);
		pthread_mutex_lock(&fork_of[right]);
		pthread_mutex_unlock(&fork_of[right]);
		pthread_mutex_unlock(&fork_of[left]);
	}
	return 0;
}

int main(void) { run(SEATS, dine); }
