// std::condition_variable_any with locks of the program's own: a spin lock, or, with -DCOUNTS, a mutex that counts how often it was locked, which tells how often the thread woke.
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

#ifdef COUNTS
struct guard {
	std::mutex m;
	int locked = 0;
	void lock()
	{
		m.lock();
		locked++;
	}
	void unlock() { m.unlock(); }
};
#else
struct guard {
	std::atomic_flag f = ATOMIC_FLAG_INIT;
	void lock()
	{
		while (f.test_and_set(std::memory_order_acquire))
			;
	}
	void unlock() { f.clear(std::memory_order_release); }
	bool try_lock() { return !f.test_and_set(std::memory_order_acquire); }
};
#endif
static guard g;
static std::condition_variable_any changed;
static bool ready, waiting;

int main()
{
	std::thread t([] {
		g.lock();
		waiting = true;
		while (!ready)
			changed.wait(g);
		g.unlock();
	});
#ifdef SEEN
	g.lock();
	bool waits = waiting;
	g.unlock();
	if (waits) {
		bool free = g.try_lock();
		if (!free)
			g.lock();
		ready = true;
		changed.notify_all();
		g.unlock();
		assert(free);
	} else
#endif
	{
		g.lock();
		ready = true;
#ifdef COUNTS
		assert(g.locked <= 2);
#endif
		changed.notify_all();
		g.unlock();
	}
	t.join();
	return 0;
}
