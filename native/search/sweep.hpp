/// Sweep a weighted sum through its range, the cheapest node for its weight first, and keep the best on the way.
///
/// Inside a range every single flip may cost something although the far end of the range is better: half of a cluster
/// has a larger border than all of it. Single flips turn back there. A sweep chooses one node after the other until
/// none fits below the upper bound (or drops nodes until none may go above the lower one), whatever that costs, and
/// then returns to the best assignment it passed, as the passes of Fiduccia and Mattheyses (1982) do. From the empty
/// set a sweep is greedy growth.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/clock.hpp"
#include "core/indexed_heap.hpp"
#include "energy/assignment.hpp"
#include "search/incumbent.hpp"

namespace annealco {

class RangeSweep {
 public:
  /// Work on loaded bits of one graph.
  RangeSweep(Assignment& bits, Incumbent& incumbent)
      : bits_(bits), incumbent_(incumbent), heap_(bits.terms().num_nodes()) {}

  /// Begin to choose nodes, or to drop them.
  void begin(bool upward) {
    upward_ = upward;
    stage_ = Stage::kFill;
    node_ = 0;
    heap_.clear();
    order_.clear();
  }

  /// Begin to choose nodes from the empty set on, or to drop them from the set of all nodes on.
  void begin_from_end(bool upward) {
    begin(upward);
    stage_ = Stage::kGoToEnd;
  }

  /// Sweep, O(m log n); false where the time is over first, to go on from there in another call. Afterwards the bits
  /// are the best feasible ones on the way, or where none were, the last.
  bool run(Clock& clock) { return go_to_end(clock) && fill(clock) && flip_all(clock) && return_to_best(clock); }

 private:
  enum class Stage { kGoToEnd, kFill, kFlip, kReturn, kDone };

  bool go_to_end(Clock& clock) {
    if (stage_ != Stage::kGoToEnd) return true;
    while (node_ < bits_.terms().num_nodes()) {
      if (clock.is_over()) return false;
      const std::int64_t node = node_++;
      if (bits_.is_chosen(node) == upward_) flip(node);
    }
    stage_ = Stage::kFill;
    node_ = 0;
    return true;
  }

  /// Put all nodes into the heap that may be flipped.
  bool fill(Clock& clock) {
    if (stage_ != Stage::kFill) return true;
    while (node_ < bits_.terms().num_nodes()) {
      if (clock.is_over()) return false;
      const std::int64_t node = node_++;
      if (bits_.is_chosen(node) != upward_ && weight(node) > 0.0) {
        heap_.set(static_cast<std::int32_t>(node), price(node));
      }
    }
    stage_ = Stage::kFlip;
    least_ = cost_of(bits_);
    best_ = 0;
    return true;
  }

  bool flip_all(Clock& clock) {
    if (stage_ != Stage::kFlip) return true;
    while (!heap_.empty()) {
      if (clock.is_over()) return false;
      const std::int32_t node = heap_.pop();
      // A weight that does not fit now never will.
      if (!fits(node)) continue;
      flip(node);
      order_.push_back(node);
      for (const auto other : bits_.touched()) {
        if (heap_.contains(other)) heap_.set(other, price(other));
      }
      if (cost_of(bits_) < least_) {
        least_ = bits_.energy();
        best_ = order_.size();
        keep_best(node);
      }
    }
    stage_ = Stage::kReturn;
    return true;
  }

  /// Take back the flips since the best, where there is one.
  bool return_to_best(Clock& clock) {
    while (stage_ == Stage::kReturn && least_ < kInfinity && order_.size() > best_) {
      if (clock.is_over()) return false;
      flip(order_.back());
      order_.pop_back();
    }
    stage_ = Stage::kDone;
    return true;
  }

  void flip(std::int64_t node) {
    incumbent_.note_flip(bits_.chosen(), node);
    bits_.flip(0, node);
  }

  void keep_best(std::int64_t node) {
    if (bits_.energy() < incumbent_.cost() - bits_.terms().tolerance[static_cast<std::size_t>(node)]) {
      incumbent_.record(bits_.energy());
    }
  }

  double weight(std::int64_t node) const {
    double sum = 0.0;
    for (const RangeTerm& range : bits_.terms().ranges) sum += range.weight[static_cast<std::size_t>(node)];
    return sum;
  }

  double price(std::int64_t node) const { return bits_.local_change<Reading::kEnergy>(0, node) / weight(node); }

  /// Tell whether a flip leaves no range by its far end.
  bool fits(std::int64_t node) const {
    for (std::size_t r = 0; r < bits_.terms().ranges.size(); ++r) {
      const RangeTerm& range = bits_.terms().ranges[r];
      const double own = range.weight[static_cast<std::size_t>(node)], total = bits_.total(r);
      if (upward_ && total + own > range.upper[0] + kViolationTolerance) return false;
      if (!upward_ && total - own < range.lower[0] - kViolationTolerance) return false;
    }
    return true;
  }

  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  Assignment& bits_;
  Incumbent& incumbent_;
  IndexedHeap heap_;                 ///< nodes that may be flipped, by price for their weight
  std::vector<std::int32_t> order_;  ///< the nodes that were flipped
  Stage stage_ = Stage::kDone;
  bool upward_ = true;
  std::int64_t node_ = 0;     ///< the next of a pass over all nodes
  double least_ = kInfinity;  ///< the least cost on the way
  std::size_t best_ = 0;      ///< after how many flips
};

}  // namespace annealco
