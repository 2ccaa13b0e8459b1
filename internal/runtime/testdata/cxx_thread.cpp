// want: verified 2
// flags: -std=c++17
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>
static std::mutex m;
static int x;
static void add(int n)
{
	std::lock_guard<std::mutex> guard(m);
	x += n;
}
int main()
{
	std::vector<std::thread> threads;
	for (int i = 1; i <= 2; i++)
		threads.emplace_back(add, i);
	for (auto &t : threads)
		t.join();
	assert(x == 3);
	assert(!threads[0].joinable());
	assert(std::this_thread::get_id() != std::thread::id());
}
