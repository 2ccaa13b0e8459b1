// std::thread with a function, a lambda and arguments; results come back through references.
#include <cassert>
#include <functional>
#include <thread>

static void square(int n, int &result)
{
	result = n * n;
}

int main()
{
	int a = 0, b = 0;
	std::thread t1(square, 3, std::ref(a));
	std::thread t2([&b] { b = 4; });

	assert(t1.joinable());
	t1.join();
	t2.join();
	assert(!t1.joinable());
	assert(a == 9 && b == 4);
}
