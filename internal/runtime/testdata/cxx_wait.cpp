// (Under ra, libstdc++ itself loses the wake-up: it relies on the order of seq_cst accesses.)
// want: verified
// model: rc11 sc tso pso
// flags: -std=c++20
#include <atomic>
#include <cassert>
#include <thread>
static std::atomic<int> flag;
static int data;
int main()
{
	std::thread t([] {
		data = 1;
		flag.store(1);
		flag.notify_one();
	});
	flag.wait(0);
	assert(data == 1);
	t.join();
}
