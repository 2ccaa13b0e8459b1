// A notification orders nothing: store buffering around it, or, with -DRACE, a message that is not published by it. With -DT=long, the kernel can't wait for the atomics themselves;
// with -DOWN, each thread notifies those that wait for what it writes.
#include <atomic>
#include <cassert>
#include <thread>

#ifndef T
#define T int
#endif
static std::atomic<T> x, y, a;
#ifdef OWN
#define NOTIFY(own) own.notify_one()
#else
#define NOTIFY(own) a.notify_one()
#endif
static int seen_y, seen_x, data;

int main()
{
	std::thread t([] {
#ifdef RACE
		data = 1;
#endif
		x.store(1, std::memory_order_relaxed);
		NOTIFY(x);
		seen_y = y.load(std::memory_order_relaxed);
		a.store(1, std::memory_order_relaxed);
	});
	std::thread u([] {
#ifdef RACE
		while (!a.load(std::memory_order_relaxed))
			;
#endif
		y.store(1, std::memory_order_relaxed);
		NOTIFY(y);
		seen_x = x.load(std::memory_order_relaxed);
#ifdef RACE
		data = 2;
#endif
	});
	t.join();
	u.join();
	assert(seen_x || seen_y);
}
