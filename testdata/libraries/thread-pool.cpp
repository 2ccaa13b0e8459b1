// A pool of threads that run std::function, with futures. -DBUG forgets to wake a thread.
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <queue>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <vector>
#include <cassert>
class Pool {
	std::vector<std::thread> workers_;
	std::queue<std::function<void()>> tasks_;
	std::mutex m_;
	std::condition_variable cv_;
	bool stop_ = false;
	public:   explicit Pool(size_t n) {
		for (size_t i = 0; i < n; ++i) workers_.emplace_back([this] { for (;;) { std::function<void()> task; { std::unique_lock<std::mutex> l(m_); cv_.wait(l, [this] { return stop_ || !tasks_.empty(); }); if (stop_ && tasks_.empty()) return; task = std::move(tasks_.front()); tasks_.pop(); } task(); } });
	}
	template <class F, class... A> auto enqueue(F&& f, A&&... a) -> std::future<std::invoke_result_t<F, A...>> {
		using R = std::invoke_result_t<F, A...>;
		auto task = std::make_shared<std::packaged_task<R()>>(std::bind(std::forward<F>(f), std::forward<A>(a)...));
		auto res = task->get_future();
		{
			std::unique_lock<std::mutex> l(m_);
			if (stop_) throw std::runtime_error("enqueue on stopped Pool");
			tasks_.emplace([task] { (*task)(); });
		}
#ifndef BUG
		cv_.notify_one();
#endif
		return res;
	}
	~Pool() {
		{
			std::unique_lock<std::mutex> l(m_);
			stop_ = true;
		}
		cv_.notify_all();
		for (auto& w : workers_) w.join();
	}
};
int main() {
	Pool p(1);
	auto a = p.enqueue([](int x) { return x * x; }, 7);
	auto b = p.enqueue([]() -> int { throw std::logic_error("no"); });
	assert(a.get() == 49);
	try {
		b.get();
		assert(false);
} catch (const std::logic_error& e) {
		assert(e.what()[0] == 'n');
	}
}
