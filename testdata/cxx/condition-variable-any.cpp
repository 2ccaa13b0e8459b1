// std::condition_variable_any: with a lock of readers, with a request to stop, and with a time. With -DTOLD, the condition becomes true before the request to stop.
#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>
#if __cplusplus > 201703L
#include <stop_token>
#endif

static std::shared_mutex m;
static std::condition_variable_any changed;
static int n;
static std::atomic<bool> told;

static void set()
{
	std::unique_lock<std::shared_mutex> l(m);
	n = 1;
	changed.notify_all();
}

int main()
{
#ifdef STOP
	std::jthread t([](std::stop_token stop) {
		std::unique_lock<std::shared_mutex> l(m);
#ifdef TOLD
		bool there = changed.wait(l, stop, [] { return told.load(); });
		assert(there);
#else
		bool there = changed.wait(l, stop, [] { return n == 1; });
		assert(there ? n == 1 : stop.stop_requested());
#endif
	});
	told = true;
#ifdef SET
	set();
#endif
	t.request_stop();
#elif defined(TIMED)
	std::thread t(set);
	{
		std::shared_lock<std::shared_mutex> l(m);
		if (!changed.wait_for(l, std::chrono::seconds(1), [] { return n == 1; }))
			assert(n == 0);
	}
	t.join();
#else
	std::thread t(set);
	{
		std::shared_lock<std::shared_mutex> l(m);
#ifdef LOST
		changed.wait(l);
#elif defined(ONCE)
		if (n == 0)
			changed.wait(l);
#else
		changed.wait(l, [] { return n == 1; });
#endif
		assert(n == 1);
	}
	t.join();
#endif
	return 0;
}
