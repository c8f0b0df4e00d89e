/// Run independent tasks on several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace annealco {

/// Call `task(k)` for k = 0, ..., num_tasks − 1, each once, in any order; the first exception is thrown to the caller.
template <class Task>
void parallel_for(std::int64_t num_tasks, std::int64_t num_threads, Task&& task) {
  num_threads = std::min(num_threads, num_tasks);
  if (num_threads <= 1) {
    for (std::int64_t k = 0; k < num_tasks; ++k) task(k);
    return;
  }
  std::atomic<std::int64_t> next{0};
  std::exception_ptr error;
  std::mutex guard;
  const auto work = [&] {
    for (std::int64_t k = next++; k < num_tasks; k = next++) {
      try {
        task(k);
      } catch (...) {
        const std::lock_guard locked(guard);
        if (!error) error = std::current_exception();
        next = num_tasks;
      }
    }
  };
  std::vector<std::thread> threads;
  for (std::int64_t t = 1; t < num_threads; ++t) threads.emplace_back(work);
  work();
  for (auto& each : threads) each.join();
  if (error) std::rethrow_exception(error);
}

}  // namespace annealco
