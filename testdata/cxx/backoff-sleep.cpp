// sleep_for with a duration that doubles up to a limit.
#include <algorithm>
#include <atomic>
#include <cassert>
#include <chrono>
#include <thread>
using namespace std::chrono_literals;
std::atomic<int> turn{0};
int data;
int main() {
	std::thread p([] { data = 1; turn.store(1, std::memory_order_release); });
	std::thread c([] {
		auto d = 1us;
		while (turn.load(std::memory_order_acquire) == 0) {
			std::this_thread::sleep_for(d);
			d = std::min(d * 2, std::chrono::microseconds(1000));
		}
		assert(data == 1);
	});
	p.join(); c.join();
}
