// A thread that was detached, or joined, is not joinable: join throws.
// want: verified 1
#include <cassert>
#include <system_error>
#include <thread>
static bool throws(std::thread &t)
{
	assert(!t.joinable());
	try {
		t.join();
	} catch (const std::system_error &e) {
		return e.code().value() == int(std::errc::invalid_argument);
	}
	return false;
}
int main()
{
	std::thread a([] {}), b([] {}), c;
	a.detach();
	b.join();
	assert(throws(a) && throws(b) && throws(c));
}
