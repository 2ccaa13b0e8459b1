// Elements arrive once, and in their order.
#include <cassert>
#include <optional>
#include <thread>

#include "ring.h"

static std::optional<int> pop()
{
    if (int value; ring_pop(&value))
        return value;
    return std::nullopt;
}

int main()
{
    std::thread producer([] {
        for (int i = 1; i <= 3; i++)
            while (!ring_push(i)) {
            }
    });
    int last = 0;
    while (last < 3)
        if (auto value = pop())
            assert(*value == ++last);
    producer.join();
    assert(!pop());
}
