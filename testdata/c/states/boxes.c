// Two threads put boxes into two places and take them out, in every way; who takes a box out frees it. -DWRONG uses one after that, in
// some executions: while the box has the address of another one, or of none.
#include <assert.h>
#include <pthread.h>
#include <ravel.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef ROUNDS
#define ROUNDS 2
#endif

_Atomic(int *) place[2];

void *play(void *arg)
{
	int me = (long)arg;
	for (int k = 0; k < ROUNDS; k++) {
		int i = ravel_choose(2), *box = 0;
		if (ravel_bool()) {
			box = malloc(sizeof *box);
			*box = me;
		}
		int *old = atomic_exchange(&place[i], box);
		if (!old)
			continue;
		assert(*old == 1 || *old == 2);
#ifdef WRONG
		if (*old == 2 && ravel_bool()) {
			free(old);
			int *other = malloc(sizeof *other);
			*other = 4;
			if (k == ROUNDS - 1)
				*old = 3;
			assert(*other == 4);
			free(other);
			continue;
		}
#endif
		*old = 0;
		free(old);
	}
	return 0;
}

int main()
{
	pthread_t a, b;
	pthread_create(&a, 0, play, (void *)1);
	pthread_create(&b, 0, play, (void *)2);
	pthread_join(a, 0);
	pthread_join(b, 0);
	for (int i = 0; i < 2; i++)
		if (place[i]) {
			assert(*place[i] == 1 || *place[i] == 2);
			free(place[i]);
		}
}
