// Threads, only where no result can depend on them: rows are copied, scored, counted.
//
// They end with the call that started them. So a process that forks has none to lose, and nothing
// waits for work that does not come.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <system_error>
#include <thread>
#include <vector>

namespace rosenblatt {

// How many threads a call may use. One, until somebody says more.
inline std::atomic<int>& thread_limit() {
  static std::atomic<int> limit{1};
  return limit;
}

// Started one by one, joined together.
class Threads {
 public:
  Threads() = default;
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ~Threads() { join(); }

  // False: the system has none left.
  template <class Work>
  bool start(Work work) {
    try {
      running.emplace_back(work);
      return true;
    } catch (const std::system_error&) {
      return false;
    }
  }
  void join() {
    for (std::thread& thread : running) thread.join();
    running.clear();
  }

 private:
  std::vector<std::thread> running;
};

// work(from, to) for parts of begin .. end, each part by whoever is free. With one thread: as a whole.
template <class Work>
void in_parts(int threads, int64_t begin, int64_t end, int64_t size, Work work) {
  if (threads <= 1) return work(begin, end);
  std::atomic<int64_t> next{begin};
  const auto take_parts = [&] {
    for (int64_t from; (from = next.fetch_add(size)) < end;) work(from, std::min(from + size, end));
  };
  Threads others;
  for (int t = 1; t < threads && others.start(take_parts);) ++t;
  take_parts();
}

}  // namespace rosenblatt
