// Actors with mailboxes: jthread, stop_token, latch, semaphore, shared_mutex, variant.
#include <latch>
#include <semaphore>
#include <shared_mutex>
#include <stop_token>
#include <thread>
#include <variant>
#include <optional>
#include <deque>
#include <mutex>
#include <condition_variable>
#include <cassert>
#include <string>
struct Put {
	int v;
};
struct Quit {};
using Msg = std::variant<Put, Quit>;
template <class... F> struct over : F... {
	using F::operator()...;
};
template <class... F> over(F...) -> over<F...>;
class Mailbox {
	std::deque<Msg> q_;
	std::mutex m_;
	std::condition_variable_any cv_;
	public: void send(Msg m) {
		{
			std::scoped_lock l(m_);
			q_.push_back(std::move(m));
		}
		cv_.notify_one();
	}
	std::optional<Msg> recv(std::stop_token st) {
		std::unique_lock l(m_);
		if (!cv_.wait(l, st, [this] { return !q_.empty(); })) return std::nullopt;
		Msg m = q_.front();
		q_.pop_front();
		return m;
	}
};
int main() {
	Mailbox box;
	std::latch done(1);
	std::shared_mutex rw;
	int total = 0;
	std::binary_semaphore sem(0);
	{
		std::jthread w([&](std::stop_token st) { bool run = true; while (run) { auto m = box.recv(st); if (!m) break; std::visit(over{[&](Put p) { std::unique_lock l(rw); total += p.v; }, [&](Quit) { run = false; }}, *m); } done.count_down(); sem.release(); });
		box.send(Put{3});
		box.send(Quit{});
		done.wait();
		sem.acquire();
		{
			std::shared_lock l(rw);
			assert(total == 3);
		}
	}
}
