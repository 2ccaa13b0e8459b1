// std::call_once from two threads: one call, seen by both.
#include <cassert>
#include <mutex>
#include <thread>

static std::once_flag once;
static int table, calls;

static void use()
{
	std::call_once(once, [] {
		table = 42;
		calls++;
	});
	assert(table == 42);
}

int main()
{
	std::thread t1(use), t2(use);

	t1.join();
	t2.join();
	assert(calls == 1);
}
