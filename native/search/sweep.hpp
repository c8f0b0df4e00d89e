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

  /// Choose nodes, or drop them; O(m log n). Afterwards the bits are the best feasible ones on the way, or where none
  /// were, the last. False where the time is over first: the bits are then somewhere on the way.
  bool run(bool upward, Clock& clock) {
    heap_.clear();
    order_.clear();
    if (!fill(upward, clock)) return false;
    double least = cost_of(bits_);
    std::size_t best = 0;
    while (!heap_.empty()) {
      const std::int64_t node = heap_.pop();
      // A weight that does not fit now never will.
      if (!fits(node, upward)) continue;
      flip(node);
      order_.push_back(static_cast<std::int32_t>(node));
      for (const auto other : bits_.touched()) {
        if (heap_.contains(other)) heap_.set(other, price(other));
      }
      if (cost_of(bits_) < least) {
        least = bits_.energy();
        best = order_.size();
        keep_best(node);
      }
      if (clock.is_over()) return false;
    }
    return least == std::numeric_limits<double>::infinity() || go_back(best, clock);
  }

  /// Choose nodes from the empty set on, or drop them from the set of all nodes on.
  bool run_from_end(bool upward, Clock& clock) {
    for (std::int64_t node = 0; node < bits_.terms().num_nodes(); ++node) {
      if (bits_.is_chosen(node) != upward) continue;
      flip(node);
      if (clock.is_over()) return false;
    }
    return run(upward, clock);
  }

 private:
  /// Put all nodes into the heap that may be flipped.
  bool fill(bool upward, Clock& clock) {
    for (std::int64_t node = 0; node < bits_.terms().num_nodes(); ++node) {
      if (bits_.is_chosen(node) == upward || !(weight(node) > 0.0)) continue;
      heap_.set(static_cast<std::int32_t>(node), price(node));
      if (clock.is_over()) return false;
    }
    return true;
  }

  /// Take back all flips but so many.
  bool go_back(std::size_t count, Clock& clock) {
    while (order_.size() > count) {
      flip(order_.back());
      order_.pop_back();
      if (clock.is_over()) return false;
    }
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
  bool fits(std::int64_t node, bool upward) const {
    for (std::size_t r = 0; r < bits_.terms().ranges.size(); ++r) {
      const RangeTerm& range = bits_.terms().ranges[r];
      const double own = range.weight[static_cast<std::size_t>(node)], total = bits_.total(r);
      if (upward && total + own > range.upper[0] + kViolationTolerance) return false;
      if (!upward && total - own < range.lower[0] - kViolationTolerance) return false;
    }
    return true;
  }

  Assignment& bits_;
  Incumbent& incumbent_;
  IndexedHeap heap_;                 ///< nodes that may be flipped, by price for their weight
  std::vector<std::int32_t> order_;  ///< the nodes that were flipped
};

}  // namespace annealco
