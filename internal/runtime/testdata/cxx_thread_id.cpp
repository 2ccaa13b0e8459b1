// [thread.thread.constr]: the completion of the constructor synchronizes with the beginning of the function.
// want: verified 1
#include <cassert>
#include <thread>
extern std::thread t;
std::thread t([] { assert(t.get_id() == std::this_thread::get_id()); });
int main() { t.join(); }
