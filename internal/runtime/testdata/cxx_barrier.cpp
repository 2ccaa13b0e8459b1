// Two rounds, each with its arrivals in either order, as the threads leave in either order; the last arrival runs the completion function alone.
// want: verified 8
// flags: -std=c++20
#include <barrier>
#include <cassert>
#include <thread>
static int in[2], out[2], rounds;
int main()
{
	std::barrier sync(2, []() noexcept { rounds++; });
	auto work = [&](int i) {
		in[i] = i + 1;
		sync.arrive_and_wait();
		out[i] = in[1 - i];
		sync.arrive_and_drop();
	};
	std::thread t1(work, 0), t2(work, 1);
	t1.join();
	t2.join();
	assert(out[0] == 2 && out[1] == 1 && rounds == 2);
}
