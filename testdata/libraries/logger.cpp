// A logger: a singleton with sinks that format text. -DBUG leaves out the lock of a sink.
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <cassert>
enum class Level { debug, info, error };
struct Sink {
	virtual ~Sink() = default;
	virtual void write(Level, std::string_view) = 0;
};
struct MemorySink final : Sink {
	std::string out;
	std::mutex m;
	void write(Level l, std::string_view s) override {
#ifndef BUG
		std::lock_guard g(m);
#endif
		out += l == Level::error ? "E:" : "I:";
		out.append(s);
		out.push_back('\n');
	}
};
class Logger {
	std::map<std::string, std::shared_ptr<Sink>> sinks_;
	mutable std::mutex m_;
	Logger() = default;
	public: static Logger& get() {
		static Logger l;
		return l;
	}
	void add(std::string name, std::shared_ptr<Sink> s) {
		std::lock_guard g(m_);
		sinks_[std::move(name)] = std::move(s);
	}
	void log(Level l, const char* fmt, ...) __attribute__((format(printf, 3, 4))) {
		char buf[64];
		va_list ap;
		va_start(ap, fmt);
		int n = std::vsnprintf(buf, sizeof buf, fmt, ap);
		va_end(ap);
		assert(n >= 0);
		std::map<std::string, std::shared_ptr<Sink>> copy;
		{
			std::lock_guard g(m_);
			copy = sinks_;
		}
		for (auto& [name, s] : copy) s->write(l, std::string_view(buf, n));
	}
};
int main() {
	auto mem = std::make_shared<MemorySink>();
	Logger::get().add("mem", mem);
	std::thread a([] { Logger::get().log(Level::info, "worker %d of %s", 1, "pool"); });
	std::thread b([] { Logger::get().log(Level::error, "%5.2f%% %x", 99.5, 255u); });
	a.join();
	b.join();
	std::ostringstream os;
	os << std::setw(4) << 12 << "|" << mem->out.size();
	assert(mem->out.find("worker 1 of pool") != std::string::npos && mem->out.find("99.50% ff") != std::string::npos);
	assert(std::to_string(mem->out.size()).size() == 2);
	std::cout << mem->out << os.str() << std::endl;
}
