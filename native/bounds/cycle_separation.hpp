/// Cycles that must hold an unsatisfied coupling and hold too little of a fractional solution.
///
/// With the solution as lengths, such a cycle is a walk from a spin to itself, shorter than one, that changes parity: a
/// shortest path in a graph with every spin twice, once for each parity (Barahona and Mahjoub, 1986). State 2i + p is
/// spin i at parity p. Swapping the parities maps this graph onto itself, so that the distance from state s to the end
/// 2·root + 1 is that from 2·root to s ^ 1: Dijkstra's algorithm need only go half of the way, and looks for couplings
/// where the way from the root meets its own mirror image.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "bounds/couplings.hpp"
#include "core/clock.hpp"
#include "core/rows.hpp"

namespace annealco {

class CycleSeparation {
 public:
  /// A cycle is worth adding if it is shorter than this.
  static constexpr double kShort = 1 - 1e-3;

  explicit CycleSeparation(const Couplings& couplings)
      : rows_(couplings),
        length_(couplings.strength.size()),
        odd_(couplings.strength.size()),
        states_(2 * static_cast<std::size_t>(couplings.num_spins)),
        num_passing_(static_cast<std::size_t>(couplings.num_spins)) {
    for (const double strength : couplings.strength) differ_.push_back(strength > 0.0);
  }

  /// Return short cycles through some of the roots, each as its couplings; for lengths [num_pairs] that are not
  /// negative, until all roots are done, the cycles have `most` couplings in all, or the clock is over.
  OwnRows find(std::span<const double> length, std::span<const std::int32_t> roots, std::int64_t most, Clock& clock) {
    std::copy(length.begin(), length.end(), length_.begin());
    std::fill(num_passing_.begin(), num_passing_.end(), 0);
    OwnRows found;
    for (const auto root : roots) {
      if (static_cast<std::int64_t>(found.index.size()) >= most) break;
      if (num_passing_[static_cast<std::size_t>(root)] >= kMaxPassing) continue;
      if (search(root, clock)) add_cycle(found);
      reset();
      if (clock.is_over()) break;
    }
    return found;
  }

  std::int64_t num_spins() const { return rows_.num_spins(); }
  std::int64_t num_pairs() const { return static_cast<std::int64_t>(length_.size()); }

 private:
  static constexpr double kInfinite = std::numeric_limits<double>::infinity();

  /// A spin that so many of the found cycles pass is the root of no further one.
  static constexpr std::int32_t kMaxPassing = 2;

  struct State {
    double distance = kInfinite;
    std::int32_t before = -1, through = -1;
  };

  /// The heap's order is total, so that nothing depends on how it is built.
  using Item = std::pair<double, std::int32_t>;

  /// Where the way to `one`, a coupling and the mirror image of the way to `other` make a walk of this length.
  struct Meeting {
    double length;
    std::int32_t one, other, pair;
  };

  State& state(std::int32_t number) { return states_[static_cast<std::size_t>(number)]; }

  void reach(std::int32_t number, const State& by) {
    State& reached = state(number);
    if (reached.distance == kInfinite) touched_.push_back(number);
    reached = by;
    heap_.emplace_back(by.distance, number);
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  }

  /// Find the shortest walk from a root to itself at the other parity; false where it is not short.
  bool search(std::int32_t root, Clock& clock) {
    meeting_ = {kShort, -1, -1, -1};
    heap_.clear();
    reach(2 * root, {0.0, -1, -1});
    while (!heap_.empty()) {
      std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
      const auto [distance, number] = heap_.back();
      heap_.pop_back();
      if (distance > state(number).distance) continue;
      if (2 * distance >= meeting_.length) break;
      const auto row = rows_[number / 2];
      if (clock.is_over(1 + static_cast<std::int64_t>(row.size()))) return false;
      for (const auto& each : row) extend(number, distance, each);
    }
    return meeting_.pair >= 0;
  }

  void extend(std::int32_t number, double distance, const Coupled& by) {
    const double further = distance + length_[static_cast<std::size_t>(by.pair)];
    const std::int32_t next = 2 * by.other + ((number & 1) ^ differ_[static_cast<std::size_t>(by.pair)]);
    const double whole = further + state(next ^ 1).distance;
    if (whole < meeting_.length) meeting_ = {whole, number, next ^ 1, by.pair};
    if (further < state(next).distance && 2 * further < meeting_.length) reach(next, {further, number, by.pair});
  }

  /// Add the couplings that the walk passes an odd number of times.
  ///
  /// They are cycles that share no coupling, and an odd number of them in all want their spins to differ: one cycle of
  /// these is not satisfied.
  void add_cycle(OwnRows& found) {
    walk_.assign(1, meeting_.pair);
    for (auto number : {meeting_.one, meeting_.other}) {
      for (; state(number).through >= 0; number = state(number).before) {
        walk_.push_back(state(number).through);
        ++num_passing_[static_cast<std::size_t>(number / 2)];
      }
    }
    ++num_passing_[static_cast<std::size_t>(touched_.front() / 2)];  // the root
    for (const auto pair : walk_) odd_[static_cast<std::size_t>(pair)] ^= 1;
    for (const auto pair : walk_) {
      if (std::exchange(odd_[static_cast<std::size_t>(pair)], 0)) found.index.push_back(pair);
    }
    found.start.push_back(static_cast<std::int64_t>(found.index.size()));
  }

  void reset() {
    for (const auto number : touched_) state(number) = {};
    touched_.clear();
  }

  CouplingRows rows_;
  std::vector<std::uint8_t> differ_;
  std::vector<double> length_;
  std::vector<std::uint8_t> odd_;
  std::vector<State> states_;
  std::vector<std::int32_t> num_passing_;  // found cycles that pass each spin
  std::vector<Item> heap_;
  std::vector<std::int32_t> touched_, walk_;
  Meeting meeting_{};
};

}  // namespace annealco
