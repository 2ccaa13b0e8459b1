// Virtual functions and bases, dynamic_cast, std::function, strings and containers, with two threads that use them.
#include <atomic>
#include <cassert>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

struct shape {
	virtual ~shape() = default;
	virtual int area() const = 0;
};
struct square : shape {
	int side;
	explicit square(int n) : side(n) {}
	int area() const override { return side * side; }
};
struct named {
	virtual ~named() = default;
	std::string name = "a name that is too long to be kept in place";
};
struct room : virtual named, square {
	room() : square(2) {}
};
struct hall : room, virtual named {
	int area() const override { return 10 * room::area(); }
};

int main()
{
	std::vector<std::unique_ptr<shape>> shapes;
	shapes.push_back(std::make_unique<square>(3));
	shapes.push_back(std::make_unique<hall>());
	std::mutex m;
	std::map<std::string, int> areas;
	auto work = [&](int i) {
		std::lock_guard<std::mutex> lock(m);
		areas[std::to_string(i)] = shapes[i]->area();
	};
	std::thread t(work, 0);
	work(1);
	t.join();
	assert(areas.size() == 2 && areas["0"] == 9 && areas.at("1") == 40);

	shape *s = shapes[1].get();
	assert(dynamic_cast<room *>(s) && dynamic_cast<hall *>(s) && dynamic_cast<square *>(s)->side == 2);
	named *n = dynamic_cast<named *>(s);
	assert(n && n->name.substr(0, 6) == "a name" && dynamic_cast<shape *>(n) == s);
	assert(!dynamic_cast<named *>(shapes[0].get()));

	std::function<int(int)> f = [&](int x) { return x + (int)areas.size(); };
	auto shared = std::make_shared<int>(f(4));
	std::weak_ptr<int> weak = shared;
	assert(*shared == 6 && weak.lock());
	shared.reset();
	assert(weak.expired());
	std::cout << n->name << ' ' << 5 << std::endl;
}
