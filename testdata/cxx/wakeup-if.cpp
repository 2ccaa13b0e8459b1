// A thread looks once whether it has to wait. A wait may end without a notification ([thread.condition.condvar]: "The function will unblock when signaled ..., or
// spuriously"). LOOP looks again, PREDICATE has the library do so. With ANY it is a std::condition_variable_any.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex m;
#ifdef ANY
static std::condition_variable_any c;
#else
static std::condition_variable c;
#endif
static bool ready;

int main()
{
	std::thread t([] {
		std::lock_guard<std::mutex> l(m);
		ready = true;
		c.notify_one();
	});
	{
		std::unique_lock<std::mutex> l(m);
#if defined PREDICATE
		c.wait(l, [] { return ready; });
#elif defined LOOP
		while (!ready)
			c.wait(l);
#else
		if (!ready)
			c.wait(l);
#endif
		assert(ready);
	}
	t.join();
}
