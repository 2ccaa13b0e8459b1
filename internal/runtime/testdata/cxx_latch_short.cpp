// One arrival is missing.
// want: deadlock
// flags: -std=c++20
#include <latch>
#include <thread>
int main()
{
	std::latch done(2);
	std::thread t([&] { done.count_down(); });
	done.wait();
	t.join();
}
