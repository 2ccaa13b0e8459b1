// A stack of numbered cells. Its pop compares the top only: another thread may take that cell and the next, and give the first back (ABA).
#include "noise.h"

enum { CELLS = 4 };
static atomic_uint top = 1; // the low half is a cell, the high half counts in the right version
static atomic_uint next[CELLS] = {0, 2, 3, 0};
static atomic_int owner[CELLS];

static unsigned count(unsigned old) { return RIGHT_OR((old >> 16) + 1, 0) << 16; }

static unsigned pop(void)
{
	unsigned t = atomic_load(&top);
	while (t & 0xffff && !atomic_compare_exchange_strong(&top, &t, atomic_load(&next[t & 0xffff]) | count(t)))
		;
	return t & 0xffff;
}

static void push(unsigned c)
{
	unsigned t = atomic_load(&top);
	do
		atomic_store(&next[c], t & 0xffff);
	while (!atomic_compare_exchange_strong(&top, &t, c | count(t)));
}

static void *work(void *arg)
{
	unsigned a = pop();
	if (arg && a) {
		unsigned b = pop();
		push(a);
		a = b;
	}
	assert(!a || atomic_fetch_add(&owner[a], 1) == 0); // nobody else has the cell
	unsigned c = pop();
	assert(!c || atomic_fetch_add(&owner[c], 1) == 0);
	return 0;
}

int main(void) { run(2, work); }
