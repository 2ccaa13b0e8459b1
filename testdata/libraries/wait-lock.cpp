// A lock of three states (U. Drepper, Futexes are tricky) by C++20's wait. -DBUG wakes in the wrong state.
#include <atomic>
#include <cassert>
#include <thread>
class Futex {
	std::atomic<int> s{0};
	public: void lock() {
		int c = 0;
		if (s.compare_exchange_strong(c, 1, std::memory_order_acquire)) return;
		if (c != 2) c = s.exchange(2, std::memory_order_acquire);
		while (c != 0) {
			s.wait(2, std::memory_order_relaxed);
			c = s.exchange(2, std::memory_order_acquire);
		}
	}
	void unlock() {
#ifdef BUG
		if (s.exchange(0, std::memory_order_release) == 1) s.notify_one();
#else
		if (s.exchange(0, std::memory_order_release) == 2) s.notify_one();
#endif
	}
};
Futex f;
int n;
int main() {
	auto w = [] {
		f.lock();
		++n;
		f.unlock();
	};
	std::thread a(w), b(w);
	a.join();
	b.join();
	assert(n == 2);
}
