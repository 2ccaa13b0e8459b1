// A bounded queue for several producers and consumers (D. Vyukov), as a template that owns what is in it.
#include <atomic>
#include <cassert>
#include <cstddef>
#include <memory>
#include <new>
#include <thread>
#include <type_traits>
#include <utility>
#ifndef ORD
#define ORD std::memory_order_release
#endif
template <typename T, std::size_t Cap> class Ring {
	static_assert((Cap & (Cap - 1)) == 0);
	struct alignas(64) Cell {
		std::atomic<std::size_t> seq;
		typename std::aligned_storage<sizeof(T), alignof(T)>::type raw;
		T* get() noexcept {
			return std::launder(reinterpret_cast<T*>(&raw));
		}
	};
	std::unique_ptr<Cell[]> cells_{new Cell[Cap]};
	alignas(64) std::atomic<std::size_t> head_{0};
	alignas(64) std::atomic<std::size_t> tail_{0};
	public:   Ring() {
		for (std::size_t i = 0; i < Cap; ++i) cells_[i].seq.store(i, std::memory_order_relaxed);
	}
	~Ring() {
		T x;
		while (pop(x)) {}
	}
	template <class U> bool push(U&& u) {
		std::size_t pos = tail_.load(std::memory_order_relaxed);
		for (;;) {
			Cell& c = cells_[pos & (Cap - 1)];
			auto d = static_cast<std::ptrdiff_t>(c.seq.load(std::memory_order_acquire) - pos);
			if (d == 0) {
				if (tail_.compare_exchange_weak(pos, pos + 1, std::memory_order_relaxed)) {
					new (&c.raw) T(std::forward<U>(u));
					c.seq.store(pos + 1, ORD);
					return true;
				}
		} else if (d < 0) return false;
			else pos = tail_.load(std::memory_order_relaxed);
		}
	}
	bool pop(T& out) {
		std::size_t pos = head_.load(std::memory_order_relaxed);
		for (;;) {
			Cell& c = cells_[pos & (Cap - 1)];
			auto d = static_cast<std::ptrdiff_t>(c.seq.load(std::memory_order_acquire) - (pos + 1));
			if (d == 0) {
				if (head_.compare_exchange_weak(pos, pos + 1, std::memory_order_relaxed)) {
					out = std::move(*c.get());
					c.get()->~T();
					c.seq.store(pos + Cap, std::memory_order_release);
					return true;
				}
		} else if (d < 0) return false;
			else pos = head_.load(std::memory_order_relaxed);
		}
	}
};
int main() {
	Ring<std::unique_ptr<int>, 2> q;
	int sum = 0;
	std::atomic<int> got{0};
	std::thread p1([&] { assert(q.push(std::make_unique<int>(1))); });
	std::thread p2([&] { assert(q.push(std::make_unique<int>(2))); });
	std::thread c([&] { std::unique_ptr<int> x; if (q.pop(x)) got += *x; });
	p1.join();
	p2.join();
	c.join();
	std::unique_ptr<int> x;
	while (q.pop(x)) sum += *x;
	assert(sum + got == 3);
}
