// A thread that is neither joined nor detached.
// want: assertion std::terminate() was called
#include <thread>
int main() { std::thread t([] {}); }
