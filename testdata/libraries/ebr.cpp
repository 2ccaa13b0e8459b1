// A Treiber stack whose nodes are freed by epochs. Without seq_cst, a thread is not seen to be in an epoch (-DBUG).
#include <atomic>
#include <array>
#include <cassert>
#include <memory>
#include <thread>
#include <vector>
#include <utility>
#ifdef BUG
constexpr auto kPin = std::memory_order_relaxed;
#else
constexpr auto kPin = std::memory_order_seq_cst;
#endif
class Ebr {
	public:   static constexpr unsigned kIdle = ~0u;
	struct alignas(64) Slot {
		std::atomic<unsigned> epoch{kIdle};
		std::vector<std::pair<unsigned, void (*)(void*)>> dummy;
		std::vector<std::pair<unsigned, std::pair<void*, void (*)(void*)>>> bag;
	};
	class Guard {
		Ebr& e_;
		Slot& s_;
		public: Guard(Ebr& e, int i) : e_(e), s_(e.slots_[i]) {
			s_.epoch.store(e_.global_.load(kPin), kPin);
			if (kPin == std::memory_order_seq_cst) std::atomic_thread_fence(kPin);
		}
		~Guard() {
			s_.epoch.store(kIdle, std::memory_order_release);
		}
		Guard(const Guard&) = delete;
		Guard& operator=(const Guard&) = delete;
	};
	template <class T> void retire(int i, T* p) {
		slots_[i].bag.push_back({global_.load(), {p, [](void* q) { delete static_cast<T*>(q); }}});
	}
	void collect(int i) {
		std::atomic_thread_fence(std::memory_order_seq_cst);
		unsigned g = global_.load();
		for (auto& s : slots_) {
			unsigned e = s.epoch.load(std::memory_order_acquire);
			if (e != kIdle && e != g) return;
		}
		global_.compare_exchange_strong(g, g + 1);
		auto& bag = slots_[i].bag;
		for (size_t k = 0; k < bag.size();) if (bag[k].first + 2 <= global_.load()) {
			bag[k].second.second(bag[k].second.first);
			bag[k] = bag.back();
			bag.pop_back();
	} else ++k;
	}
	~Ebr() {
		for (auto& s : slots_) for (auto& [e, d] : s.bag) d.second(d.first);
	}
	private: std::atomic<unsigned> global_{0};
	std::array<Slot, 2> slots_;
};
template <class T> class Stack {
	struct Node {
		T v;
		Node* next;
	};
	std::atomic<Node*> head_{nullptr};
	Ebr& e_;
	public: explicit Stack(Ebr& e) : e_(e) {}  void push(T v) {
		auto* n = new Node{std::move(v), head_.load(std::memory_order_relaxed)};
		while (!head_.compare_exchange_weak(n->next, n, std::memory_order_release, std::memory_order_relaxed)) {}
	}
	bool pop(int i, T& out) {
		Ebr::Guard g(e_, i);
		Node* h = head_.load(std::memory_order_acquire);
		while (h && !head_.compare_exchange_strong(h, h->next, std::memory_order_acq_rel, std::memory_order_acquire)) {} if (!h) return false;
		out = std::move(h->v);
		e_.retire(i, h);
		return true;
	}
	~Stack() {
		for (Node* h = head_.load(); h;) {
			Node* n = h->next;
			delete h;
			h = n;
		}
	}
};
int main() {
	Ebr e;
	Stack<int> s(e);
	s.push(1);
	s.push(2);
	int a = 0, b = 0;
	bool ra, rb;
	std::thread t([&] { ra = s.pop(0, a); e.collect(0); e.collect(0); });
	rb = s.pop(1, b);
	e.collect(1);
	t.join();
	assert(ra && rb && a + b == 3);
}
