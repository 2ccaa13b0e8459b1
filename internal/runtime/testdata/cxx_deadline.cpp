// Waits with a deadline end, in time or not.
// want: verified
// model: rc11 sc
// flags: -std=c++17
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
using namespace std::chrono_literals;
static std::mutex m;
static std::condition_variable ready;
static bool set;
int main()
{
	std::thread t([] {
		std::lock_guard<std::mutex> hold(m);
		set = true;
		ready.notify_one();
	});
	{
		std::unique_lock<std::mutex> hold(m);
		bool seen = ready.wait_for(hold, 100ms, [] { return set; });
		assert(seen == set);
	}
	auto end = std::chrono::steady_clock::now() + 50ms;
	int rounds = 0;
	while (std::chrono::steady_clock::now() < end)
		rounds++;
	assert(rounds > 0);
	t.join();
}
