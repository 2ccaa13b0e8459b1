// A spinlock. unlock() with a relaxed store lets the next owner miss what this one wrote. -DRIGHT repairs it.
//
//     ravel check examples/spinlock.cpp
#include <atomic>
#include <thread>

#ifdef RIGHT
constexpr auto unlocked = std::memory_order_release;
#else
constexpr auto unlocked = std::memory_order_relaxed;
#endif

class Spinlock {
    std::atomic<bool> held{false};

public:
    void lock()
    {
        while (held.exchange(true, std::memory_order_acquire)) {
        }
    }
    void unlock() { held.store(false, unlocked); }
};

static Spinlock lock;
static int counter;

static void work()
{
    lock.lock();
    counter++;
    lock.unlock();
}

int main()
{
    std::thread a(work), b(work);
    a.join();
    b.join();
    return counter - 2;
}
