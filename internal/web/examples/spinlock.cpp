// A spinlock of exchange and store. Both orders matter: acquire keeps what is
// inside from moving up, release keeps it from moving down.
#include <atomic>
#include <cassert>
#include <thread>

class spinlock {
    std::atomic<bool> taken{false};

public:
    void lock()
    {
        while (taken.exchange(true, std::memory_order_acquire)) {
        }
    }
    void unlock() { taken.store(false, std::memory_order_release); }
};

int main()
{
    spinlock lock;
    int count = 0;
    auto add = [&] {
        lock.lock();
        count++;
        lock.unlock();
    };
    std::thread a(add), b(add);
    a.join();
    b.join();
    assert(count == 2);
}
