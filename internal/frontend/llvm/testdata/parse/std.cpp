// Much of the C++ library: threads, locks, containers, strings, exceptions, futures.
#include <atomic>
#include <condition_variable>
#include <functional>
#include <future>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>
std::mutex m;
std::map<int, std::string> table;
std::condition_variable cv;
std::atomic<std::shared_ptr<int> *> shared;
int main() {
  std::vector<std::thread> ts;
  for (int i = 0; i < 3; i++)
    ts.emplace_back([i] {
      std::unique_lock<std::mutex> g(m);
      table[i] = std::to_string(i);
      cv.notify_all();
    });
  for (auto &t : ts) t.join();
  auto f = std::async([] { return 3.5L; });
  try {
    if (f.get() > 3) throw std::runtime_error("x");
  } catch (std::exception &e) {
    std::cout << e.what();
  }
  std::function<int(int)> fn = [&](int x) { return x + (int)table.size(); };
  return fn(4);
}
