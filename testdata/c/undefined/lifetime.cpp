// Lifetimes of variables and temporaries in C++ ([basic.life], [class.temporary]).
#include <string>
#include <vector>
#include <memory>
#include <cassert>
struct S { int v; S(int x):v(x){} ~S(){ v = -1; } const S& self() const { return *this; } };
static S make(int x) { return S(x); }
static int get(const S& s) { return s.v; }
static volatile int two = 2;
#if defined TEMP
int main() { const S& r = make(3).self(); return r.v - 3; }
#elif defined TEMP_OK
int main() { const S& r = make(3); return get(r) - 3 + get(make(1)) - 1; }
#elif defined COND_OK
int main() { int x = two == 2 ? get(make(4)) : get(make(5)); for (int i=0;i<2;i++) x += i ? get(make(1)) : 0; return x - 5; }
#elif defined LAMBDA
auto counter() { int n = 0; return [&n]() { return ++n; }; }
int main() { auto c = counter(); return c() - 1; }
#elif defined LAMBDA_OK
auto counter() { int n = 0; return [n]() mutable { return ++n; }; }
int main() { auto c = counter(); return c() - 1; }
#elif defined CSTR
int main() { const char *s = (std::string("a") + "bc").c_str(); return s[0] - 'a'; }
#elif defined CSTR_OK
int main() { std::string t = std::string("a") + "bc"; const char *s = t.c_str(); return s[0] - 'a'; }
#elif defined INIT_LIST_OK
int main() { std::vector<int> v{1,2,3}; int s = 0; for (int x : v) s += x; for (int x : {1,2}) s += x; return s - 9; }
#elif defined REF
const int& max(const int& a, const int& b) { return a < b ? b : a; }
int main() { const int& m = max(1, 2); return m - 2; }
#elif defined REF_OK
const int& max(const int& a, const int& b) { return a < b ? b : a; }
int main() { int m = max(1, 2); return m - 2; }
#elif defined THROW_OK
struct G { int *p; ~G() { *p += 1; } };
static void f(int *p) { G g{p}; std::string s("x"); if (two == 2) throw 7; }
int main() { int n = 0; try { f(&n); } catch (int e) { n += e; } return n - 8; }
#elif defined CATCH
int main() { int *p = nullptr; try { int l = 3; p = &l; if (two == 2) throw 1; } catch (int) {} return *p - 3; }
#elif defined UNIQUE_OK
int main() { auto p = std::make_unique<S>(3); auto q = std::make_shared<S>(4); std::weak_ptr<S> w = q; auto l = w.lock(); return p->v + l->v - 7; }
#endif
