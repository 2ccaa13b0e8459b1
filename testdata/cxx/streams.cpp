// String streams and manipulators. Run natively, every assertion holds.
#include <cassert>
#include <iomanip>
#include <iostream>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>

struct point {
	int x, y;
};

static std::ostream &operator<<(std::ostream &os, const point &p) { return os << '(' << p.x << ", " << p.y << ')'; }

static std::mutex m;
static std::string all;

static void log(int n)
{
	std::ostringstream line;
	line << "thread " << n << ": " << std::boolalpha << (n > 1) << std::endl;
	std::cout << line.str() << std::setw(8) << std::hex << n << std::endl;
	std::lock_guard<std::mutex> hold(m);
	all += line.str();
}

int main()
{
	std::ios::sync_with_stdio(false);
	std::thread t1(log, 1), t2(log, 2);
	t1.join();
	t2.join();
	assert(all == "thread 1: false\nthread 2: true\n" || all == "thread 2: true\nthread 1: false\n");

	std::stringstream s;
	s << std::setw(5) << 42 << std::left << std::setw(4) << "ab" << '|' << std::hex << 255 << std::uppercase << -1 << std::dec << -7;
	s << std::setfill('0') << std::right << std::setw(3) << 5 << ' ' << 2.5 << std::fixed << std::setprecision(2) << 3.14159 << point{1, 2};
	assert(s.str() == "   42ab  |ffFFFFFFFF-7005 2.53.14(1, 2)");
	s.str("");
	s << 7u;
	assert(s.str() == "7");

	std::ostringstream numbers;
	numbers << 1e5 << ' ' << 0.001 << ' ' << 123456.0f << ' ' << 0.1 << ' ' << 100.0 << ' ' << 1.0 / 3 << ' ' << -0.0625L;
	assert(numbers.str() == "100000 0.001 123456 0.1 100 0.333333 -0.0625");
	assert(std::to_string(1.5) == "1.500000");
}
