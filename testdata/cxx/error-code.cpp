// The error codes of exceptions, and the conditions that they are compared with.
#include <cassert>
#include <future>
#include <mutex>
#include <system_error>
#include <thread>

int main()
{
	try {
		std::thread none;
		none.join();
		assert(false);
	} catch (const std::system_error &e) {
		assert(e.code() == std::errc::invalid_argument && e.code() != std::errc::timed_out);
		assert(e.code().category() == std::generic_category());
	}
	std::mutex m;
	std::unique_lock<std::mutex> l(m);
	try {
		l.lock();
		assert(false);
	} catch (const std::system_error &e) {
		assert(e.code() == std::errc::resource_deadlock_would_occur);
	}
	std::error_code c(2, std::system_category());
	assert(c == std::errc::no_such_file_or_directory && c != std::error_code(2, std::generic_category()));
	assert(c.default_error_condition() == std::error_condition(2, std::generic_category()));
	std::promise<int> p;
	p.set_value(1);
	try {
		p.set_value(2);
		assert(false);
	} catch (const std::future_error &e) {
		assert(e.code() == std::future_errc::promise_already_satisfied && e.code() != std::errc::invalid_argument);
	}
	return 0;
}
