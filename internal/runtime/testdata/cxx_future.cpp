// want: verified
// flags: -std=c++17 -D_GLIBCXX_TSAN=1
#include <cassert>
#include <future>
int main()
{
	std::promise<int> p;
	std::future<int> f = p.get_future();
	std::thread t([&] { p.set_value(7); });
	assert(f.get() == 7);
	t.join();
}
