// Programs that catch exceptions, but not this one.
//
// -DTHREAD      it ends a thread
// -DNOEXCEPT    it ends a function that throws none
// -DGLOBAL      it ends the constructor of a global object
// -DRACE        the unlock of a mutex on its way is too early
#include <mutex>
#include <stdexcept>
#include <thread>

static int x;
static std::mutex m;

static void fail(int n)
{
	if (n)
		throw std::runtime_error("n");
}

static void quiet(int n) noexcept { fail(n); }

#ifdef GLOBAL
struct object {
	object() { fail(1); }
};
static object global;
#endif

static void count(int n)
{
	try {
		std::lock_guard<std::mutex> hold(m);
		fail(n);
		x++;
	} catch (const std::runtime_error &) {
#ifdef RACE
		x++;
#endif
	}
}

int main()
{
	std::thread t([] {
#ifdef THREAD
		fail(1);
#endif
		count(0);
	});
	count(1);
	t.join();
	try {
#ifdef NOEXCEPT
		quiet(1);
#endif
#ifndef RACE
		fail(1);
#endif
	} catch (const std::logic_error &) {
	}
}
