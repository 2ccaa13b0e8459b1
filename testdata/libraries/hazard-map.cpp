// A hash map whose entries are protected by hazard pointers. -DNOSCAN frees without looking at them, -DWEAK replaces entries by an exchange that is not seq_cst.
#include <atomic>
#include <array>
#include <cassert>
#include <cstdint>
#include <functional>
#include <optional>
#include <thread>
#include <vector>
#ifdef WEAK
constexpr auto kReplace = std::memory_order_acq_rel;
#else
constexpr auto kReplace = std::memory_order_seq_cst;
#endif
namespace hp {
	constexpr int kThreads = 3;
	struct Slot {
		std::atomic<void*> ptr{nullptr};
	};
	inline Slot slots[kThreads];
	thread_local int tid;
	template <class T> T* protect(const std::atomic<T*>& src) {
		T* p = src.load(std::memory_order_relaxed);
		for (;;) {
			slots[tid].ptr.store(p, std::memory_order_seq_cst);
			T* q = src.load(std::memory_order_seq_cst);
			if (q == p) return p;
			p = q;
		}
	}
	inline void clear() {
		slots[tid].ptr.store(nullptr, std::memory_order_release);
	}
	template <class T> void retire(T* p, std::vector<T*>& limbo) {
		limbo.push_back(p);
#ifndef LEAKY
		std::vector<T*> keep;
		for (T* q : limbo) {
			bool busy = false;
#ifndef NOSCAN
			for (auto& s : slots) busy |= s.ptr.load(std::memory_order_seq_cst) == q;
#endif
			if (busy) keep.push_back(q);
			else delete q;
		}
		limbo.swap(keep);
#endif
	}
}
template <class K, class V, std::size_t N = 2> class Map {
	struct Node {
		K key;
		V val;
	};
	std::array<std::atomic<Node*>, N> buckets_{};
	public:   ~Map() {
		for (auto& b : buckets_) delete b.load(std::memory_order_relaxed);
	}
	void put(K k, V v, std::vector<Node*>& limbo) {
		auto* n = new Node{k, v};
		auto& b = buckets_[std::hash<K>{}(k) % N];
		Node* old = b.exchange(n, kReplace);
		if (old) hp::retire(old, limbo);
	}
	std::optional<V> get(K k) {
		auto& b = buckets_[std::hash<K>{}(k) % N];
		Node* n = hp::protect(b);
		std::optional<V> r;
		if (n && n->key == k) r = n->val;
		hp::clear();
		return r;
	}
	using Limbo = std::vector<Node*>;
};
Map<int, int> m;
int main() {
	hp::tid = 0;
	Map<int,int>::Limbo l0, l1;
	m.put(1, 10, l0);
	std::thread w([&] { hp::tid = 1; m.put(1, 20, l1); });
	std::thread r([] { hp::tid = 2; auto v = m.get(1); assert(v && (*v == 10 || *v == 20)); });
	w.join();
	r.join();
	for (auto* p : l1) delete p;
	assert(*m.get(1) == 20);
}
