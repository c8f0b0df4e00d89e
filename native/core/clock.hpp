/// How long work goes on: a number of moves, a deadline, a stop flag, the end of patience, whichever comes first.
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

/// For how long, in seconds and in moves, a search may go on without finding something better.
///
/// What has passed in vain is carried over from one clock to the next, so that a search which is continued does not
/// begin to wait anew. Nothing is counted before something feasible was found.
class Patience {
 public:
  static constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

  Patience(double seconds, std::int64_t moves) : seconds_(seconds), moves_(moves) {}

  /// Tell whether a cost is better than all before; if so, nothing has passed in vain since.
  bool improve(double cost) {
    if (!(cost < best_)) return false;
    best_ = cost;
    spend(0.0, 0);
    return true;
  }

  /// Put down what has passed in vain since the last improvement.
  void spend(double seconds, std::int64_t moves) {
    idle_seconds_ = seconds;
    // So that moves which are added later do not overflow.
    idle_moves_ = std::min(moves, kNoLimit / 4);
  }

  bool has_begun() const { return std::isfinite(best_); }
  bool is_over() const { return has_begun() && (idle_seconds_ >= seconds_ || idle_moves_ >= moves_); }
  double seconds() const { return seconds_; }
  std::int64_t moves() const { return moves_; }
  double seconds_left() const { return has_begun() ? std::max(0.0, seconds_ - idle_seconds_) : seconds_; }
  std::int64_t moves_left() const { return has_begun() ? std::max<std::int64_t>(0, moves_ - idle_moves_) : moves_; }
  double idle_seconds() const { return idle_seconds_; }
  std::int64_t idle_moves() const { return idle_moves_; }

 private:
  double seconds_, idle_seconds_ = 0.0, best_ = std::numeric_limits<double>::infinity();
  std::int64_t moves_, idle_moves_ = 0;
};

class Clock {
 public:
  using Time = std::chrono::steady_clock;
  static constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

  /// Called at readings of the time, at most every 10 ms; may throw, which ends the work.
  using Interrupt = void (*)();

  /// The time begins now. Infinite seconds and kNoLimit moves are no limits.
  Clock(double seconds, std::int64_t moves, std::shared_ptr<const StopFlag> stop = nullptr,
        std::shared_ptr<Patience> patience = nullptr, Interrupt interrupt = nullptr)
      : started_(Time::now()),
        last_look_(started_),
        last_interrupt_(started_),
        limit_seconds_(seconds),
        limit_(moves),
        last_move_(moves),
        stop_(std::move(stop)),
        patience_(std::move(patience)),
        interrupt_(interrupt) {
    if (patience_ && patience_->has_begun()) {
      improved_moves_ = -patience_->idle_moves();
      wait_from(-patience_->idle_seconds(), patience_->moves_left());
    }
    look();
  }

  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;

  ~Clock() {
    if (patience_ && patience_->has_begun()) {
      patience_->spend(elapsed() - improved_seconds_, moves_ - improved_moves_);
    }
  }

  /// Count a move; false, and no move is counted, once the budget is spent.
  bool tick() {
    if (moves_ == last_move_ || over_) return false;
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
  bool is_spent() const { return over_ || moves_ == last_move_; }

  double elapsed() const { return std::chrono::duration<double>(Time::now() - started_).count(); }
  std::shared_ptr<const StopFlag> stop() const { return stop_; }
  double seconds_left() const { return limit_seconds_ - elapsed(); }
  std::int64_t moves() const { return moves_; }
  std::int64_t moves_left() const { return last_move_ == kNoLimit ? kNoLimit : last_move_ - moves_; }

  /// Put down that a cost was reached now; of several within a millisecond the last is kept. It renews the patience,
  /// unless it is what the end of a run makes of the last assignment.
  void record(double cost, bool renews = true) {
    if (!std::isfinite(cost) || (!trace_.empty() && cost >= trace_.back().second)) return;
    const double now = elapsed();
    if (patience_ && renews && patience_->improve(cost)) {
      improved_moves_ = moves_;
      wait_from(now, patience_->moves());
    }
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

  /// Let patience count from a time since the start, and allow so many moves from now on.
  void wait_from(double seconds, std::int64_t moves) {
    improved_seconds_ = seconds;
    const std::int64_t room = kNoLimit - moves_;
    last_move_ = std::min(limit_, moves < room ? moves_ + moves : kNoLimit);
  }

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
    const double passed = std::chrono::duration<double>(now - started_).count();
    if (passed >= limit_seconds_) over_ = true;
    if (patience_ && patience_->has_begun() && passed - improved_seconds_ >= patience_->seconds()) over_ = true;
    if (interrupt_ && std::chrono::duration<double>(now - last_interrupt_).count() > kInterruptSeconds) {
      last_interrupt_ = now;
      interrupt_();
    }
  }

  Time::time_point started_, last_look_, last_interrupt_;
  double limit_seconds_, improved_seconds_ = 0.0;
  std::int64_t limit_, last_move_;  ///< moves that are allowed in all, and where patience ends before
  std::int64_t moves_ = 0, improved_moves_ = 0, period_ = 1, until_look_ = 0;
  bool over_ = false;
  std::shared_ptr<const StopFlag> stop_;
  std::shared_ptr<Patience> patience_;
  Interrupt interrupt_;
  std::vector<std::pair<double, double>> trace_;
};

}  // namespace annealco
