// A worker waits for jobs. Before the last one it looks at their number without the lock: the wake-up may come between, and is lost.
#include <condition_variable>
#include <mutex>
#include <thread>
#include "noise.hpp"

static std::mutex mutex;
static std::condition_variable changed;
static std::atomic<int> jobs;

static void work()
{
	for (int i = 0; i < 3; i++) {
		if (RIGHT || i < 2) {
			std::unique_lock<std::mutex> lock(mutex);
			changed.wait(lock, [] { return jobs > 0; });
		} else if (jobs == 0) {
			std::unique_lock<std::mutex> lock(mutex);
			changed.wait(lock);
		}
		jobs--;
	}
}

int main()
{
	Noise noise;
	std::thread worker(work);
	for (int i = 0; i < 3; i++) {
		{
			std::lock_guard<std::mutex> lock(mutex);
			jobs++;
		}
		changed.notify_one();
	}
	worker.join();
}
