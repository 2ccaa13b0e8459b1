// want: verified
// model: rc11
// flags: -std=c++17 -D_GLIBCXX_TSAN=1
#include <atomic>
#include <cassert>
#include <chrono>
#include <deque>
#include <functional>
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <unordered_map>
struct base {
	virtual ~base() {}
	virtual int f() { return 1; }
};
struct derived : base {
	int f() override { return 2; }
};
struct alignas(64) line {
	long v[8];
};
int main()
{
	std::unique_ptr<base> b(new derived);
	assert(b->f() == 2);
	auto p = std::make_shared<int>(3);
	std::weak_ptr<int> w = p;
	std::function<int()> fn = [p] { return *p; };
	assert(fn() == 3 && w.lock() == p);
	line *l = new line{{1}};
	assert(reinterpret_cast<unsigned long>(l) % 64 == 0);
	delete l;
	int *a = new int[3]{1, 2, 3};
	delete[] a;
	std::list<int> list{3, 1, 2};
	list.push_front(0);
	list.sort();
	list.reverse();
	assert(list.front() == 3 && list.back() == 0 && list.size() == 4);
	std::deque<int> deque{1, 2};
	deque.push_front(0);
	assert(deque.size() == 3);
	std::map<int, int> map;
	for (int i : {5, 2, 8, 1, 9, 3, 7})
		map[i] = i * i;
	map.erase(5);
	map.erase(1);
	map.erase(9);
	int last = 0, sum = 0;
	for (auto &e : map) {
		assert(e.first > last && e.second == e.first * e.first);
		last = e.first;
		sum += last;
	}
	assert(sum == 20 && map.rbegin()->first == 8 && map.count(7) && !map.count(5));
	std::unordered_map<int, int> hash;
	for (int i = 0; i < 20; i++)
		hash[i] = i;
	assert(hash.size() == 20 && hash.at(13) == 13);
	std::shared_mutex sm;
	{
		std::shared_lock<std::shared_mutex> r(sm);
	}
	{
		std::unique_lock<std::shared_mutex> u(sm);
	}
	std::recursive_mutex rm;
	std::mutex m;
	{
		std::scoped_lock both(rm, m);
		std::lock_guard<std::recursive_mutex> again(rm);
	}
	std::cout << "sum " << sum << std::endl;
	std::this_thread::sleep_for(std::chrono::milliseconds(1));
	std::this_thread::yield();
	return 0;
}
