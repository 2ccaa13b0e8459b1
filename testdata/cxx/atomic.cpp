// std::atomic: plain data passed by a release store and an acquire load.
#include <atomic>
#include <cassert>
#include <thread>

static int data;
static std::atomic<bool> ready{false};

int main()
{
	std::thread writer([] {
		data = 1;
		ready.store(true, std::memory_order_release);
	});
	std::thread reader([] {
		if (ready.load(std::memory_order_acquire)) {
			assert(data == 1);
		}
	});

	writer.join();
	reader.join();
	assert(data == 1);
}
