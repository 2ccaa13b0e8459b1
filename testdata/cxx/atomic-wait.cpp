/*
 * A thread waits for another one's flag. The store happens before notify_one, so the waiting thread is woken, whatever the order of the store.
 *
 * -DSTORE=std::memory_order_relaxed   the waiting thread does not see the data
 */
#include <atomic>
#include <cassert>
#include <thread>

#ifndef STORE
#define STORE std::memory_order_seq_cst
#endif

static std::atomic<int> flag;
static int data;

int main()
{
    std::thread setter([] {
        data = 1;
        flag.store(1, STORE);
        flag.notify_one();
    });
    std::thread waiter([] {
        flag.wait(0, std::memory_order_acquire);
        assert(data == 1);
    });
    setter.join();
    waiter.join();
}
