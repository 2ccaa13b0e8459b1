// A latch, a semaphore and a barrier that end when their function returns, while the other thread may still be in its call.
#include <barrier>
#include <latch>
#include <semaphore>
#include <thread>

static std::thread t;

static void once()
{
#if defined SEMAPHORE
	std::binary_semaphore s(0);
	t = std::thread([&s] { s.release(); });
	s.acquire();
#elif defined BARRIER
	std::barrier<> b(2);
	t = std::thread([&b] { b.arrive_and_wait(); });
	b.arrive_and_wait();
#elif defined BOTH_WAIT
	std::latch l(2);
	t = std::thread([&l] { l.arrive_and_wait(); });
	l.arrive_and_wait();
#else
	std::latch l(2);
	t = std::thread([&l] { l.count_down(); });
	l.arrive_and_wait();
#endif
#ifdef JOIN
	t.join();
#endif
}

int main()
{
	once();
#ifndef JOIN
	t.join();
#endif
}
