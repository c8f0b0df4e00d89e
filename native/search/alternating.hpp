/// Simulated annealing and tabu search in turns, with one best assignment between them.
///
/// Annealing sinks deep where many small changes add up; tabu search, whose restarts choose or drop whole regions,
/// finds the way where constraints keep single flips from getting there. Each gets about half of the time. Where there
/// are ranges, both begin with sweeps through them, so that no greedy growth from the forced nodes is better.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "core/clock.hpp"
#include "energy/assignment.hpp"
#include "search/annealing.hpp"
#include "search/flip_search.hpp"
#include "search/incumbent.hpp"
#include "search/sweep.hpp"
#include "search/tabu.hpp"

namespace annealco {

class AlternatingSearch final : public FlipSearch {
 public:
  /// Begin at loaded bits of one graph.
  AlternatingSearch(Assignment bits, std::uint64_t seed)
      : seed_(seed), incumbent_(bits), annealing_(std::move(bits), incumbent_, seed) {}

  Found run(Clock& clock, double target) override {
    clock.record(incumbent_.cost());
    if (tabu_ || begin(clock)) take_turns(clock, target);
    Found found = is_annealing_ ? annealing_.best(clock) : tabu_->best(clock);
    clock.record(found.cost, /*renews=*/false);
    return found;
  }

  std::span<const std::uint8_t> present() const override {
    return is_annealing_ ? annealing_.bits().chosen() : tabu_->bits().chosen();
  }

 private:
  /// How long turns are, per node: a move of tabu search takes as long as some 25 visits of annealing.
  static constexpr std::int64_t kVisitsPerNode = 800, kMovesPerNode = 32;

  /// Sweep through the ranges from both ends; false where the time is over first.
  bool begin(Clock& clock) {
    Assignment& bits = annealing_.bits();
    if (bits.has_ranges()) {
      if (!sweep_) sweep_.emplace(bits, incumbent_).begin_from_end(/*upward=*/true);
      for (; num_swept_ < 2; ++num_swept_) {
        if (!sweep_->run(clock)) return false;
        sweep_->begin_from_end(/*upward=*/false);
      }
      sweep_.reset();
      clock.record(incumbent_.cost());
    }
    const Found best = incumbent_.best(bits.chosen());
    Assignment start(bits.terms(), std::span<const std::uint8_t>(best.chosen));
    start.load(0);
    tabu_.emplace(std::move(start), incumbent_, seed_);
    return true;
  }

  void take_turns(Clock& clock, double target) {
    while (turn() > 0 && incumbent_.cost() > target && !clock.is_spent()) {
      left_ -= is_annealing_ ? annealing_.advance(clock, target, left_) : tabu_->advance(clock, target, left_);
      if (left_ > 0) return;
      // Between turns the best must not be told by flips away from the assignment of either.
      incumbent_.save(present());
      is_annealing_ = !is_annealing_;
      left_ = turn();
    }
  }

  /// Return how many moves a turn has; none on a graph without nodes.
  std::int64_t turn() const {
    return (is_annealing_ ? kVisitsPerNode : kMovesPerNode) * annealing_.bits().terms().num_nodes();
  }

  std::uint64_t seed_;
  Incumbent incumbent_;
  Annealing<Assignment> annealing_;
  std::optional<RangeSweep> sweep_;             ///< at the beginning, where there are ranges
  int num_swept_ = 0;                           ///< sweeps that are done
  std::optional<TabuSearch<Assignment>> tabu_;  ///< afterwards
  bool is_annealing_ = true;                    ///< whose turn it is
  std::int64_t left_ = turn();                  ///< moves of this turn
};

}  // namespace annealco
