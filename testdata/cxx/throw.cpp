// What is thrown and never caught, and an index that is out of range.
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

struct failure {
	int code;
};

static int work(const std::vector<int> &v)
{
#if defined(OWN)
	throw failure{1};
#elif defined(INT)
	throw 1;
#elif defined(INDEX)
	return v[v.size()];
#else
	throw std::invalid_argument("no such thing as " + std::to_string(v.size()));
#endif
}

int main()
{
	std::vector<int> v(3);
	std::thread t([&] { work(v); });
	t.join();
}
