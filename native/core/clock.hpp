/// How long work goes on: a number of moves, a deadline, a stop flag, whichever comes first.
///
/// Every loop of the core that may run for long counts its moves with `Clock::tick`, or asks `Clock::is_over` where its
/// work is no move. Both read the time only now and then: the number of moves between two readings adapts so that a
/// reading comes about every 100 microseconds. A run that is limited by moves alone does not depend on the time.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace annealco {

/// A flag that any thread may set, and that searches read beside the clock.
class StopFlag {
 public:
  void set() noexcept { set_.store(true, std::memory_order_relaxed); }
  bool is_set() const noexcept { return set_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> set_{false};
};

class Clock {
 public:
  using Time = std::chrono::steady_clock;
  static constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

  /// Called at readings of the time, at most every 10 ms; may throw, which ends the work.
  using Interrupt = void (*)();

  /// The time begins now. Infinite seconds and kNoLimit moves are no limits.
  Clock(double seconds, std::int64_t moves, std::shared_ptr<const StopFlag> stop = nullptr,
        Interrupt interrupt = nullptr)
      : started_(Time::now()),
        last_look_(started_),
        last_interrupt_(started_),
        limit_(moves),
        stop_(std::move(stop)),
        interrupt_(interrupt) {
    limit_seconds_ = seconds;
    look();
  }

  /// Count a move; false, and no move is counted, once the budget is spent.
  bool tick() {
    if (moves_ == limit_ || over_) return false;
    ++moves_;
    if (--until_look_ <= 0) look();
    return true;
  }

  /// Count several moves after they were made, at most `moves_left()`.
  void count(std::int64_t moves) {
    moves_ += moves;
    if ((until_look_ -= moves) <= 0) look();
  }

  /// Tell whether the time is over or a stop was asked for; `work` says how many moves were worth of work since.
  bool is_over(std::int64_t work = 1) {
    if ((until_look_ -= work) <= 0) look();
    return over_;
  }

  /// Tell whether no further move may be made, by the last reading.
  bool is_spent() const { return over_ || moves_ == limit_; }

  double elapsed() const { return std::chrono::duration<double>(Time::now() - started_).count(); }
  double seconds_left() const { return limit_seconds_ - elapsed(); }
  std::int64_t moves() const { return moves_; }
  std::int64_t moves_left() const { return limit_ == kNoLimit ? kNoLimit : limit_ - moves_; }

  /// Put down that a cost was reached now; of several within a millisecond the last is kept.
  void record(double cost) {
    if (!std::isfinite(cost) || (!trace_.empty() && cost >= trace_.back().second)) return;
    const double now = elapsed();
    if (!trace_.empty() && now - trace_.back().first < kTraceSeconds) {
      trace_.back().second = cost;
    } else {
      trace_.emplace_back(now, cost);
    }
  }

  /// (seconds since the start, cost), costs falling.
  const std::vector<std::pair<double, double>>& trace() const { return trace_; }

 private:
  static constexpr double kShortGap = 50e-6, kLongGap = 200e-6, kInterruptSeconds = 0.01, kTraceSeconds = 1e-3;
  static constexpr std::int64_t kLongestPeriod = 1 << 14;

  void look() {
    const auto now = Time::now();
    const double gap = std::chrono::duration<double>(now - last_look_).count();
    last_look_ = now;
    if (gap < kShortGap) {
      period_ = std::min(2 * period_, kLongestPeriod);
    } else if (gap > kLongGap) {
      period_ = std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(period_) * kShortGap / gap));
    }
    until_look_ = period_;
    if (stop_ && stop_->is_set()) over_ = true;
    if (std::chrono::duration<double>(now - started_).count() >= limit_seconds_) over_ = true;
    if (interrupt_ && std::chrono::duration<double>(now - last_interrupt_).count() > kInterruptSeconds) {
      last_interrupt_ = now;
      interrupt_();
    }
  }

  Time::time_point started_, last_look_, last_interrupt_;
  double limit_seconds_ = std::numeric_limits<double>::infinity();
  std::int64_t limit_, moves_ = 0, period_ = 1, until_look_ = 0;
  bool over_ = false;
  std::shared_ptr<const StopFlag> stop_;
  Interrupt interrupt_;
  std::vector<std::pair<double, double>> trace_;
};

}  // namespace annealco
