// std::lock takes two mutexes in either order without a deadlock, by trying and going back.
//
// -DMIXED   mutexes of two types, for which libstdc++ has other code
// -DHELD    one of the mutexes is never unlocked
#include <cassert>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::mutex left;
#ifdef MIXED
static std::shared_mutex right;
#else
static std::mutex right;
#endif
static int moved;

int main()
{
	std::thread t1([] {
		std::scoped_lock both(left, right);
		moved++;
	});
	std::thread t2([] {
#ifdef HELD
		right.lock();
#else
		std::scoped_lock both(right, left);
		moved--;
#endif
	});

	t1.join();
	t2.join();
#ifndef HELD
	assert(moved == 0);
#endif
}
