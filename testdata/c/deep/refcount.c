// An object with a count of its owners, who use it several times. The last one frees it. It has to acquire what the others did: a thread forgets
// that if it has seen all of them at work.
#include <stdlib.h>
#include "noise.h"

struct object {
	atomic_int owners;
	int used[3];
};
static struct object *object;

static void *work(void *arg)
{
	int most = 0;
	for (int i = 0; i < 3; i++) {
		int n = atomic_fetch_add_explicit(&object->owners, 1, relaxed);
		most = n > most ? n : most;
		object->used[(long)arg]++;
		atomic_fetch_sub_explicit(&object->owners, 1, release);
	}
	int left;
	if (most == 5)
		left = atomic_fetch_sub_explicit(&object->owners, 1, RIGHT_OR(memory_order_acq_rel, release));
	else
		left = atomic_fetch_sub_explicit(&object->owners, 1, memory_order_acq_rel);
	if (left == 1)
		free(object);
	return 0;
}

int main(void)
{
	object = calloc(1, sizeof *object);
	object->owners = 3;
	run(3, work);
}
