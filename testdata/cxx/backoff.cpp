// A spin lock with a Backoff class, as many C++ code bases have it.
#include <algorithm>
#include <atomic>
#include <cassert>
#include <thread>
class Backoff {
	static constexpr unsigned kMax = 64;
	unsigned n_ = 1;
public:
	void pause() {
		if (n_ <= kMax) {
			for (unsigned i = 0; i < n_; ++i) __builtin_ia32_pause();
			n_ *= 2;
		} else {
			std::this_thread::yield();
		}
	}
	void reset() { n_ = 1; }
};
class SpinLock {
	std::atomic<bool> locked_{false};
public:
	void lock() {
		Backoff b;
		while (locked_.exchange(true, std::memory_order_acquire))
			do b.pause(); while (locked_.load(std::memory_order_relaxed));
	}
	void unlock() { locked_.store(false, std::memory_order_release); }
};
static SpinLock m;
static int n;
int main() {
	auto f = [] { m.lock(); ++n; m.unlock(); };
	std::thread a(f), b(f), c(f);
	a.join(); b.join(); c.join();
	assert(n == 3);
}
