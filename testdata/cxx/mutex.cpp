// std::mutex with lock_guard, unique_lock, and scoped_lock on two mutexes taken in the same order.
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex left, right;
static int moved, looked;

static void forth()
{
	std::scoped_lock both(left, right);
	moved++;
}

static void back()
{
	std::unique_lock<std::mutex> guard(left);
	moved--;
	guard.unlock();
	assert(!guard.owns_lock());
}

int main()
{
	std::thread t1(forth), t2(back);

	{
		std::lock_guard<std::mutex> guard(left);
		looked = moved;
	}
	t1.join();
	t2.join();
	assert(looked >= -1 && looked <= 1 && moved == 0);
}
