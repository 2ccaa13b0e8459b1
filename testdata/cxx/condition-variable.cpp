// std::condition_variable with a predicate.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable changed;
static int number;

int main()
{
	std::thread t([] {
		std::lock_guard<std::mutex> guard(lock);
		number = 7;
		changed.notify_one();
	});

	{
		std::unique_lock<std::mutex> guard(lock);
		changed.wait(guard, [] { return number != 0; });
		assert(number == 7);
	}
	t.join();
}
