// Exceptions that are caught. Run natively, every assertion holds.
#include <any>
#include <cassert>
#include <cstring>
#include <exception>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <typeinfo>
#include <variant>
#include <vector>

static int alive;

struct counted {
	counted() { alive++; }
	counted(const counted &) { alive++; }
	~counted() { alive--; }
};

struct left {
	virtual ~left() {}
	int l = 1;
};
struct right {
	virtual ~right() {}
	int r = 2;
};
struct both : left, right {
	counted c;
	int b = 3;
};
struct secret : private left {};
struct top : virtual left {};
struct other : virtual left {};
struct diamond : top, other {};
struct twice : both, top {}; // two bases of type left

struct failure : std::runtime_error {
	int code;
	explicit failure(int code) : std::runtime_error("failure " + std::to_string(code)), code(code) {}
};

static int deep(int n)
{
	counted here;
	if (n == 0)
		throw failure(7);
	return deep(n - 1) + 1;
}

static void unwinding()
{
	try {
		counted c;
		deep(5);
		assert(false);
	} catch (const std::exception &e) {
		assert(alive == 0);
		assert(!strcmp(e.what(), "failure 7"));
		assert(dynamic_cast<const failure *>(&e)->code == 7);
		assert(typeid(e) == typeid(failure));
	}
}

template <class Thrown, class Handler> static bool takes(Thrown what)
{
	try {
		try {
			throw what;
		} catch (Handler) {
			return true;
		}
	} catch (...) {
		return false;
	}
	return false;
}

static void matching()
{
	assert((takes<int, int>(1)));
	assert((takes<int, const int &>(1)));
	assert(!(takes<int, long>(1)));
	assert(!(takes<int, unsigned>(1)));
	assert((takes<both, right &>(both())));
	assert((takes<both, left>(both())));
	assert((takes<diamond, left &>(diamond())));
	assert(!(takes<secret, left &>(secret())));
	assert(!(takes<twice, left &>(twice())));
	assert((takes<const char *, const char *>("")));
	assert(!(takes<const char *, char *>("")));
	assert((takes<char *, const char *>(nullptr)));
	assert((takes<char *, const void *>(nullptr)));
	assert((takes<std::nullptr_t, int *>(nullptr)));
	both b;
	assert((takes<both *, right *>(&b)));
	assert(!(takes<right *, both *>(&b)));
	try {
		throw &b;
	} catch (right *p) {
		assert(p == &b && p->r == 2);
	}
	try {
		throw both();
	} catch (right &r) {
		assert(r.r == 2 && alive == 2);
	}
	assert(alive == 1);
	int n = 0;
	try {
		throw &n;
	} catch (int *&p) {
		assert(p == &n);
	}
}

static void again()
{
	int seen = 0;
	try {
		try {
			throw failure(1);
		} catch (failure &f) {
			f.code++;
			try {
				throw 5; // while another one is handled
			} catch (int i) {
				seen = i;
			}
			throw;
		}
	} catch (failure &f) {
		assert(f.code == 2 && seen == 5);
	}
	std::exception_ptr p;
	assert(!std::current_exception());
	try {
		throw both();
	} catch (...) {
		p = std::current_exception();
	}
	assert(alive == 1);
	for (int i = 0; i < 2; i++)
		try {
			std::rethrow_exception(p);
		} catch (const right &r) {
			assert(r.r == 2 && std::current_exception() == p);
		}
	p = nullptr;
	assert(alive == 0);
	try {
		std::rethrow_exception(std::make_exception_ptr(failure(3)));
	} catch (const failure &f) {
		assert(f.code == 3);
	}
}

static std::string chain;

static void tell(const std::exception &e)
{
	chain += e.what();
	try {
		std::rethrow_if_nested(e);
	} catch (const std::exception &inner) {
		chain += ": ";
		tell(inner);
	}
}

static void nesting()
{
	try {
		try {
			deep(1);
		} catch (...) {
			std::throw_with_nested(std::logic_error("outer"));
		}
	} catch (const std::exception &e) {
		tell(e);
	}
	assert(chain == "outer: failure 7");
}

struct member {
	counted c;
	member(int n)
	{
		if (n)
			throw n;
	}
};
struct whole {
	member first, second;
	whole(int n)
	try : first(0), second(n) {
	} catch (int i) {
		throw i + 1;
	}
};
struct watcher {
	int &found;
	~watcher() { found = std::uncaught_exceptions(); }
};

static void constructors()
{
	try {
		whole w(1);
		assert(false);
	} catch (int i) {
		assert(i == 2 && alive == 0);
	}
	try {
		std::unique_ptr<whole> w(new whole(3));
		assert(false);
	} catch (int i) {
		assert(i == 4 && alive == 0);
	}
	try {
		std::vector<member> v;
		for (int i = 0; i < 3; i++)
			v.emplace_back(i / 2);
		assert(false);
	} catch (int i) {
		assert(i == 1 && alive == 0);
	}
	int found = 0;
	try {
		watcher w{found};
		throw 1;
	} catch (int) {
		assert(found == 1 && std::uncaught_exceptions() == 0);
	}
}

template <class E> static bool throws(const std::function<void()> &f)
{
	try {
		f();
	} catch (const E &e) {
		return true;
	}
	return false;
}

static void library()
{
	std::vector<int> v(2);
	std::map<int, int> m;
	std::string s = "abc";
	std::optional<int> o;
	std::variant<int, std::string> w = 1;
	std::any a = 1;
	std::shared_ptr<int> gone;
	left l;
	assert(throws<std::out_of_range>([&] { v.at(2); }));
	assert(throws<std::logic_error>([&] { m.at(1); }));
	assert(throws<std::exception>([&] { s.substr(4); }));
	assert(throws<std::length_error>([&] { v.reserve(-1ul); }));
	assert(throws<std::invalid_argument>([&] { std::stoi("x"); }));
	assert(throws<std::bad_optional_access>([&] { o.value(); }));
	assert(throws<std::bad_variant_access>([&] { std::get<1>(w); }));
	assert(throws<std::bad_any_cast>([&] { std::any_cast<long>(a); }));
	assert(throws<std::bad_function_call>([] { std::function<void()>()(); }));
	assert(throws<std::bad_cast>([&] { (void)dynamic_cast<both &>(l); }));
	assert(throws<std::bad_weak_ptr>([&] { std::shared_ptr<int> p{std::weak_ptr<int>(gone)}; }));
	assert(throws<std::system_error>([] { std::unique_lock<std::mutex>().lock(); }));
	assert(throws<std::future_error>([] {
		std::promise<int> p;
		p.set_value(1);
		p.set_value(2);
	}));
	try {
		std::future<int> f = std::promise<int>().get_future();
		f.get();
		assert(false);
	} catch (const std::future_error &e) {
		assert(e.code() == std::future_errc::broken_promise);
	}
}

static std::mutex m;
static int shared_sum;
static std::once_flag once;
static int tries;

static int &local()
{
	static int tried;
	static int value = tried++ ? 42 : throw 1;
	return value;
}

static void work(int n)
{
	try {
		std::lock_guard<std::mutex> hold(m);
		shared_sum += n;
		if (n == 1)
			throw failure(n); // unlocks
	} catch (const failure &f) {
		std::lock_guard<std::mutex> hold(m);
		shared_sum += 10 * f.code;
	}
}

static void threads()
{
	std::thread t1(work, 1), t2(work, 2);
	t1.join();
	t2.join();
	assert(shared_sum == 13);

	std::future<int> f = std::async(std::launch::async, [] { return deep(2); });
	try {
		f.get();
		assert(false);
	} catch (const failure &e) {
		assert(e.code == 7);
	}

	std::promise<void> p;
	std::thread t3([&] {
		try {
			throw failure(9);
		} catch (...) {
			p.set_exception(std::current_exception());
		}
	});
	assert(throws<failure>([&] { p.get_future().get(); }));
	t3.join();

	for (int i = 0; i < 3; i++)
		try {
			std::call_once(once, [] {
				if (tries++ == 0)
					throw 1;
			});
			assert(i > 0);
		} catch (int) {
			assert(i == 0);
		}
	assert(tries == 2);

	int failed = 0;
	for (int i = 0; i < 3; i++)
		try {
			assert(local() == 42);
		} catch (int) {
			failed++;
		}
	assert(failed == 1);
}

int main()
{
	unwinding();
	matching();
	again();
	nesting();
	constructors();
	library();
	threads();
	assert(alive == 0);
}
