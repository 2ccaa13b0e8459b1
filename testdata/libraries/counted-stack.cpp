// A stack whose head has a counter beside the pointer, swapped by a compare-and-swap of 16 bytes.
#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>
struct Node {
	Node* next;
	int v;
};
struct alignas(16) Head {
	Node* p;
	std::uintptr_t n;
	bool operator==(const Head&) const = default;
};
std::atomic<Head> head{
	Head{nullptr, 0}
};
Node nodes[2];
void push(Node* n) {
	Head h = head.load(std::memory_order_relaxed), m;
	do {
		n->next = h.p;
		m = {n, h.n + 1};
} while (!head.compare_exchange_weak(h, m, std::memory_order_release, std::memory_order_relaxed));
}
Node* pop() {
	Head h = head.load(std::memory_order_acquire), m;
	do {
		if (!h.p) return nullptr;
		m = {h.p->next, h.n + 1};
} while (!head.compare_exchange_weak(h, m, std::memory_order_acquire));
	return h.p;
}
int main() {
	nodes[0].v = 1;
	nodes[1].v = 2;
	std::thread t([] { push(&nodes[0]); });
	push(&nodes[1]);
	t.join();
	Node *a = pop(), *b = pop();
	assert(a && b && a != b && a->v + b->v == 3 && !pop());
}
