// std::mutex with lock_guard, unique_lock and scoped_lock on two mutexes taken in either order.
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex left, right;
static int moved;

static void forth()
{
	std::scoped_lock both(left, right);
	moved++;
}

static void back()
{
	std::unique_lock<std::mutex> r(right, std::defer_lock), l(left, std::defer_lock);
	std::lock(r, l);
	moved--;
}

int main()
{
	std::thread t1(forth), t2(back);

	{
		std::lock_guard<std::mutex> guard(left);
		assert(moved >= -1 && moved <= 1);
	}
	t1.join();
	t2.join();
	assert(moved == 0);
}
