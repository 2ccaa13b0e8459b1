// std::lock takes two mutexes in either order without a deadlock, by trying and going back: no bound on the rounds.
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex left, right;
static int moved;

int main()
{
	std::thread t1([] {
		std::scoped_lock both(left, right);
		moved++;
	});
	std::thread t2([] {
		std::scoped_lock both(right, left);
		moved--;
	});

	t1.join();
	t2.join();
	assert(moved == 0);
}
