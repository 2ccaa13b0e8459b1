// Threads that count, as in noise.h.
#include <atomic>
#include <thread>

#ifdef RIGHT
#undef RIGHT
#define RIGHT true
#else
#define RIGHT false
#endif

class Noise {
	std::atomic<int> count{0};
	std::thread threads[3];

public:
	Noise()
	{
		for (auto &t : threads)
			t = std::thread([this] {
				for (int i = 0; i < 8; i++)
					count.fetch_add(1, std::memory_order_relaxed);
			});
	}
	~Noise()
	{
		for (auto &t : threads)
			t.join();
	}
};
