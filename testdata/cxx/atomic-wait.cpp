/*
 * A thread waits for another one's flag. notify_one looks at the number of waiting threads, which are counted
 * before the kernel looks at the flag, behind a barrier: with a seq_cst store of the flag no wake-up is lost.
 *
 * -DSTORE=std::memory_order_release   the store may come after that look: the waiting thread sleeps for ever
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
