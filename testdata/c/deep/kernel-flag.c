// Messages with the macros of the Linux kernel. The reader of the third one lacks the barrier, so it may see the flag without the message.
#include <lkmm.h>
#include "noise.h"

enum { MESSAGES = 4 };
static int message[MESSAGES], flag[MESSAGES];

static void *work(void *arg)
{
	for (int i = 0; i < MESSAGES; i++)
		if (!arg) {
			WRITE_ONCE(message[i], i + 1);
			smp_wmb();
			WRITE_ONCE(flag[i], 1);
		} else if (READ_ONCE(flag[i])) {
			if (RIGHT_OR(1, i != 2))
				smp_rmb();
			assert(READ_ONCE(message[i]) == i + 1);
		}
	return 0;
}

int main(void) { run(3, work); }
