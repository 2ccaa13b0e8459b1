// Pointers to shared objects that threads exchange, as C++20 has them and as C++11 had them.
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>
struct pair {
	int a, b;
};
static std::atomic<std::shared_ptr<pair>> current;
static std::shared_ptr<int> plain = std::make_shared<int>(1);
int main()
{
	current = std::make_shared<pair>(pair{1, 1});
	std::thread writer([] {
		current = std::make_shared<pair>(pair{2, 2});
		std::atomic_store(&plain, std::make_shared<int>(2));
	});
	std::shared_ptr<pair> p = current;
	assert(p->a == p->b);
	std::shared_ptr<int> q = std::atomic_load(&plain);
	assert(*q == 1 || *q == 2);
	writer.join();
}
