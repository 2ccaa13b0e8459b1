// The operations of std::atomic on integers, pointers, structs and flags.
#include <atomic>
#include <cassert>

struct Point {
	int x, y;
	bool operator==(const Point &o) const { return x == o.x && y == o.y; }
};

int main()
{
	std::atomic<int> n{5};
	assert(n++ == 5 && ++n == 7 && (n -= 2) == 5 && n.exchange(12) == 12 - 7);
	assert(n.fetch_and(10) == 12 && n.fetch_or(1) == 8 && n.fetch_xor(3) == 9 && n == 10);
	int expected = 11;
	assert(!n.compare_exchange_strong(expected, 1) && expected == 10);
	assert(n.compare_exchange_strong(expected, 1) && n == 1);

	int cells[4] = {1, 2, 3, 4};
	std::atomic<int *> p{cells};
	p += 2;
	assert(*p.load() == 3 && *p.fetch_sub(1) == 3 && *p == 2);

	std::atomic<Point> q{Point{1, 2}};
	Point old{1, 2};
	assert(q.compare_exchange_strong(old, Point{3, 4}) && q.load() == (Point{3, 4}));

	std::atomic_flag f = ATOMIC_FLAG_INIT;
	assert(!f.test_and_set() && f.test_and_set());
	f.clear();
	assert(!f.test_and_set());
	std::atomic_thread_fence(std::memory_order_seq_cst);
}
