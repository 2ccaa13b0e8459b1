// Virtual calls, templates, references, lambdas, static constructors, atomics.
#include <atomic>
#include <array>
#include <utility>
#include <memory>
static unsigned long h = 99; static void mix(unsigned long v) { h = h * 31 + v; h ^= h >> 29; }
struct Shape { virtual int area() const = 0; virtual ~Shape() {} int id = 3; };
struct Sq : Shape { int s; Sq(int s) : s(s) {} int area() const override { return s * s; } };
struct Other { virtual int g() { return 8; } long pad; };
struct Both : Sq, Other { Both() : Sq(4) {} int area() const override { return 77; } int g() override { return s; } };
static Sq global(6); static int order = 0; struct Init { int at; Init() : at(++order) {} } i1, i2;
template <class T, int N> T sum(const std::array<T, N> &a) { T s{}; for (auto &x : a) s += x; return s; }
std::atomic<long> cnt{4}; std::atomic<Sq *> ptr{&global};
int apply(int n, int (*f)(int)) { return f(n); }
thread_local int tls = 12;
int main() {
  Both b; Shape *s = &b; Other *o = &b; mix(s->area()); mix(o->g()); mix(s->id); mix(global.area()); mix(i1.at * 10 + i2.at);
  std::array<int, 5> a{1, 2, 3, 4, 5}; mix(sum<int, 5>(a)); std::array<double, 3> d{1.5, 2, 3}; mix((unsigned long)(sum<double, 3>(d) * 2));
  mix(cnt.fetch_add(3)); mix(cnt.load(std::memory_order_acquire)); long e = 0; mix(cnt.compare_exchange_weak(e, 1)); mix(e); mix(ptr.load()->area());
  int k = 5; auto l = [&k](int x) { k += x; return k * 2; }; mix(l(3)); mix(k); mix(apply(4, [](int x) { return x * x; })); tls += k; mix(tls);
  std::unique_ptr<Sq> p(new Sq(9)); mix(p->area()); std::pair<int, char> pr{3, 'x'}; std::swap(pr.first, k); mix(pr.first); mix(pr.second);
  return (int)(h ^ h >> 8 ^ h >> 16 ^ h >> 32) & 255;
}
