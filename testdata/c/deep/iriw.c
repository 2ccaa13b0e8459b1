// Two flags in each round. Two threads that read them in different orders disagree about which was set first: Power allows this for acquire loads.
#include "noise.h"

enum { ROUNDS = 3 };
static atomic_int flag[ROUNDS][2];
static int seen[ROUNDS][2];

static int get(int round, int i)
{
	if (round == 1)
		return atomic_load_explicit(&flag[round][i], RIGHT_OR(memory_order_seq_cst, acquire));
	return atomic_load_explicit(&flag[round][i], memory_order_seq_cst);
}

static void *work(void *arg)
{
	long me = (long)arg;
	for (int r = 0; r < ROUNDS; r++)
		if (me < 2)
			atomic_store_explicit(&flag[r][me], 1, RIGHT_OR(memory_order_seq_cst, release));
		else
			seen[r][me - 2] = get(r, me - 2) && !get(r, 3 - me); // mine was set, the other not yet
	return 0;
}

int main(void)
{
	run(4, work);
	for (int r = 0; r < ROUNDS; r++)
		assert(!seen[r][0] || !seen[r][1]);
}
