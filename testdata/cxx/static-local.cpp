// A static local variable is initialised once, by whoever comes first; globals are initialised before main.
#include <cassert>
#include <thread>

struct Counter {
	int made;
	Counter() : made(0) {}
	int next() { return ++made; }
};

static Counter counter;
static const int started = counter.next();

static int id()
{
	static const int value = counter.next();
	return value;
}

int main()
{
	std::thread t1([] { assert(id() == 2); });
	std::thread t2([] { assert(id() == 2); });

	t1.join();
	t2.join();
	assert(started == 1 && counter.made == 2);
}
