// A spin lock whose try_lock is an exchange: it writes also where it finds the lock held. A thread that has found it held tells so. The other one may hold it only to wait.
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <thread>

struct Spin {
	std::atomic<int> held{0};
	bool try_lock() { return !held.exchange(1, std::memory_order_acquire); }
	void lock()
	{
		while (!try_lock())
			;
	}
	void unlock() { held.store(0, std::memory_order_release); }
};

static Spin m;
static std::condition_variable_any &c = *new std::condition_variable_any;
static bool ready;
static int contended;

int main()
{
	std::thread([] {
		m.lock();
		while (!ready)
			c.wait(m);
		assert(!contended);
		m.unlock();
	}).detach();
	int n = 0;
	if (!m.try_lock()) {
		n = 1;
		m.lock();
	}
	ready = true;
	contended = n;
	m.unlock();
}
