// call_once in 2 orders; then the static variable: in either order of initialisation the second
// thread sees the guard set, or finds that out by calling.
// want: verified
// flags: -std=c++17
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>
static std::once_flag once;
static int calls, made;
static int make() { return ++made; }
static int *get()
{
	static int it = make();
	return &it;
}
static void f()
{
	std::call_once(once, [](int n) { calls += n; }, 1);
	assert(calls == 1);
	assert(*get() == 1);
}
int main()
{
	std::thread t(f);
	f();
	t.join();
	assert(made == 1);
}
