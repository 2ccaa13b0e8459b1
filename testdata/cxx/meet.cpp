// Three threads meet at a std::barrier or a std::latch. Each reads what all have written before.
#include <atomic>
#include <barrier>
#include <cassert>
#include <latch>
#include <thread>

#ifdef LATCH
std::latch meet(3);
#else
std::barrier meet(3);
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif
#ifndef THREADS
#define THREADS 3
#endif

std::atomic<int> before, after;
int data[4];

static void work(int i)
{
	for (int round = 0; round < ROUNDS; round++) {
		data[i] = 1;
		before.fetch_add(1, std::memory_order_relaxed);
#ifdef SPLIT
		auto token = meet.arrive();
		meet.wait(std::move(token));
#else
		meet.arrive_and_wait();
#endif
#ifdef EARLY
		data[i] = 2;
#endif
		after += data[0] + data[1] + data[2];
		if (ROUNDS > 1)
			meet.arrive_and_wait();
	}
}

int main()
{
	std::thread threads[THREADS];
	for (int i = 0; i < THREADS; i++)
		threads[i] = std::thread(work, i);
	for (auto &t : threads)
		t.join();
	assert(before == THREADS * ROUNDS && after == 3 * THREADS * ROUNDS);
}
