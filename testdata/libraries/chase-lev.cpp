// The deque of Le et al. (PPoPP 2013) in C++17, which grows. -DBUG leaves out the fence of pop.
#include <atomic>
#include <cassert>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <vector>
template <typename T> class WSQ {
	struct Array {
		int64_t C, M;
		std::atomic<T>* S;
		explicit Array(int64_t c) : C{c}, M{c - 1}, S{new std::atomic<T>[static_cast<size_t>(c)]} {}     ~Array() {
			delete[] S;
		}
		void push(int64_t i, T o) noexcept {
			S[i & M].store(o, std::memory_order_relaxed);
		}
		T pop(int64_t i) noexcept {
			return S[i & M].load(std::memory_order_relaxed);
		}
		Array* resize(int64_t b, int64_t t) {
			auto* p = new Array{2 * C};
			for (int64_t i = t; i != b; ++i) p->push(i, pop(i));
			return p;
		}
	};
	alignas(64) std::atomic<int64_t> top_{0};
	alignas(64) std::atomic<int64_t> bottom_{0};
	std::atomic<Array*> array_;
	std::vector<Array*> garbage_;
	public:   explicit WSQ(int64_t c = 2) {
		array_.store(new Array{c}, std::memory_order_relaxed);
		garbage_.reserve(4);
	}
	~WSQ() {
		for (auto a : garbage_) delete a;
		delete array_.load();
	}
	void push(T o) {
		int64_t b = bottom_.load(std::memory_order_relaxed), t = top_.load(std::memory_order_acquire);
		Array* a = array_.load(std::memory_order_relaxed);
		if (a->C - 1 < b - t) {
			Array* n = a->resize(b, t);
			garbage_.push_back(a);
			std::swap(a, n);
			array_.store(a, std::memory_order_release);
		}
		a->push(b, o);
		std::atomic_thread_fence(std::memory_order_release);
		bottom_.store(b + 1, std::memory_order_relaxed);
	}
	std::optional<T> pop() {
		int64_t b = bottom_.load(std::memory_order_relaxed) - 1;
		Array* a = array_.load(std::memory_order_relaxed);
		bottom_.store(b, std::memory_order_relaxed);
#ifndef BUG
		std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
		int64_t t = top_.load(std::memory_order_relaxed);
		std::optional<T> item;
		if (t <= b) {
			item = a->pop(b);
			if (t == b) {
				if (!top_.compare_exchange_strong(t, t + 1, std::memory_order_seq_cst, std::memory_order_relaxed)) item = std::nullopt;
				bottom_.store(b + 1, std::memory_order_relaxed);
			}
		}
		else bottom_.store(b + 1, std::memory_order_relaxed);
		return item;
	}
	std::optional<T> steal() {
		int64_t t = top_.load(std::memory_order_acquire);
		std::atomic_thread_fence(std::memory_order_seq_cst);
		int64_t b = bottom_.load(std::memory_order_acquire);
		std::optional<T> item;
		if (t < b) {
			Array* a = array_.load(std::memory_order_consume);
			item = a->pop(t);
			if (!top_.compare_exchange_strong(t, t + 1, std::memory_order_seq_cst, std::memory_order_relaxed)) return std::nullopt;
		}
		return item;
	}
};
int main() {
	WSQ<int> q;
	std::atomic<int> taken[4] = {};
	std::thread thief([&] { for (int i = 0; i < 2; i++) if (auto x = q.steal()) taken[*x]++; });
	for (int i = 0; i < 3; i++) q.push(i);
	for (int i = 0; i < 2; i++) if (auto x = q.pop()) taken[*x]++;
	thief.join();
	while (auto x = q.pop()) taken[*x]++;
	for (int i = 0; i < 3; i++) assert(taken[i] == 1);
}
