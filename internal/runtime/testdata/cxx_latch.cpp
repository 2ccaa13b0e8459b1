// The two arrivals come in either order.
// want: verified 2
// flags: -std=c++20
#include <cassert>
#include <latch>
#include <thread>
static int data[2];
int main()
{
	std::latch done(2);
	auto work = [&](int i) {
		data[i] = i + 1;
		done.count_down();
	};
	std::thread t1(work, 0), t2(work, 1);
	done.wait();
	assert(done.try_wait());
	assert(data[0] == 1 && data[1] == 2);
	t1.join();
	t2.join();
}
