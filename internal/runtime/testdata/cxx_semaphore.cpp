// A buffer of one place: nothing can come in another order.
// want: verified 1
// flags: -std=c++20
#include <cassert>
#include <chrono>
#include <semaphore>
#include <thread>
static std::counting_semaphore<2> full(0), empty(1);
static int place;
int main()
{
	std::thread producer([] {
		for (int i = 1; i <= 3; i++) {
			empty.acquire();
			place = i;
			full.release();
		}
	});
	for (int i = 1; i <= 3; i++) {
		full.acquire();
		assert(place == i);
		empty.release();
	}
	producer.join();
	assert(!full.try_acquire_for(std::chrono::milliseconds(1)));
	assert(empty.try_acquire());
}
