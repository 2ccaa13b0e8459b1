// Readers and writers of a pair, with a std::shared_timed_mutex. There is no error.
#include <cassert>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include "noise.hpp"

static std::shared_timed_mutex mutex;
static int first, second;

int main()
{
	Noise noise;
	std::thread threads[4];
	for (int i = 0; i < 4; i++)
		threads[i] = std::thread([i] {
			for (int n = 0; n < 3; n++) {
				if (i < 2) {
					std::unique_lock<std::shared_timed_mutex> lock(mutex);
					first++;
					second++;
				} else {
					std::shared_lock<std::shared_timed_mutex> lock(mutex);
					assert(first == second);
				}
			}
		});
	for (auto &t : threads)
		t.join();
	assert(first == 6);
}
