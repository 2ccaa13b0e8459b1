// want: verified 2
// flags: -std=c++17
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>
static std::mutex m;
static std::condition_variable c;
static bool ready;
int main()
{
	int data = 0;
	std::thread t([&] {
		std::unique_lock<std::mutex> lock(m);
		c.wait(lock, [] { return ready; });
		assert(data == 42);
	});
	{
		std::lock_guard<std::mutex> lock(m);
		data = 42;
		ready = true;
		c.notify_one();
	}
	t.join();
}
