// A thread's variables are destroyed when it ends.
// want: verified 1
#include <cassert>
#include <thread>
static int destroyed;
struct object {
	int n = 0;
	~object() { destroyed += n; }
};
static thread_local object o;
int main()
{
	std::thread t([] { o.n = 3; });
	t.join();
	assert(destroyed == 3);
	assert(o.n == 0);
}
