// Nobody notifies.
// want: deadlock
// flags: -std=c++20
#include <atomic>
#include <thread>
static std::atomic<int> flag;
int main()
{
	std::thread t([] { flag.store(1); });
	flag.wait(0);
	t.join();
}
