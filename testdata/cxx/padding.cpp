// A counter beside an index, in a struct with padding: compare_exchange does not look at the padding (C++20, [atomics.types.operations]).
#include <atomic>
#include <cassert>
#include <thread>

struct Tagged {
#ifdef WIDE
	int *index;
	unsigned tag;
#else
	unsigned index;
	unsigned short tag;
#endif
};

static std::atomic<Tagged> head{Tagged{}};

static void next()
{
	Tagged old = head.load(std::memory_order_relaxed), now;
	do {
		now.index = old.index + 1;
#ifndef WRONG
		now.tag = old.tag + 1;
#endif
	} while (!head.compare_exchange_weak(old, now));
}

int main()
{
	std::thread t(next);
	next();
	t.join();
	Tagged seen = head.load(), same;
	assert(seen.tag == 2);
	same.index = seen.index;
	same.tag = seen.tag;
	assert(head.compare_exchange_strong(same, Tagged{}));
	assert(!head.compare_exchange_strong(same, seen));
	head.store(seen);
	assert(head.exchange(same).tag == 2);
	return 0;
}
