// A queue lock (Mellor-Crummey and Scott). The lock is handed over too weakly if a third thread waits already.
#include <stddef.h>
#include "noise.h"

struct node {
	_Atomic(struct node *) next;
	atomic_int wait;
};
static _Atomic(struct node *) last;
static struct node nodes[3][2];
static int shared;

static void *work(void *arg)
{
	for (int i = 0; i < 2; i++) {
		struct node *me = &nodes[(long)arg][i];
		atomic_store_explicit(&me->wait, 1, relaxed);
		struct node *before = atomic_exchange_explicit(&last, me, memory_order_acq_rel);
		if (before) {
			atomic_store_explicit(&before->next, me, release);
			while (atomic_load_explicit(&me->wait, acquire))
				;
		}
		shared++;
		struct node *self = me;
		if (!atomic_load_explicit(&me->next, acquire)) {
			if (atomic_compare_exchange_strong_explicit(&last, &self, NULL, release, relaxed))
				continue;
			while (!atomic_load_explicit(&me->next, acquire))
				;
		}
		struct node *after = atomic_load_explicit(&me->next, relaxed);
		if (i && atomic_load_explicit(&after->next, relaxed))
			atomic_store_explicit(&after->wait, 0, RIGHT_OR(release, relaxed));
		else
			atomic_store_explicit(&after->wait, 0, release);
	}
	return 0;
}

int main(void) { run(3, work); }
