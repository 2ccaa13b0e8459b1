// A wait that is woken has not timed out.
// want: assertion
// flags: -std=c++17
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
static std::mutex m;
static std::condition_variable ready;
int main()
{
	std::thread t([] {
		std::lock_guard<std::mutex> hold(m);
		ready.notify_one();
	});
	std::unique_lock<std::mutex> hold(m);
	assert(ready.wait_for(hold, std::chrono::milliseconds(1)) == std::cv_status::timeout);
	hold.unlock();
	t.join();
}
