/// Greedy rules for objectives of linear terms and pairs: two sides of a cut, or a set that grows into a range.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "core/clock.hpp"
#include "core/indexed_heap.hpp"
#include "core/rows.hpp"

namespace annealco {

/// A view of Σ a_i x_i + Σ b_uv x_u x_v: the other node of each pair by node, and b beside it, or one b for all.
struct QuadraticObjective {
  std::span<const double> linear;
  Rows others;
  std::span<const double> values;

  std::int32_t num_nodes() const { return static_cast<std::int32_t>(linear.size()); }
  double value(std::int64_t entry) const { return values[values.size() == 1 ? 0 : static_cast<std::size_t>(entry)]; }

  /// Call `visit(other, b)` for the pairs of a node.
  template <class Visit>
  void for_each_pair(std::int32_t node, Visit&& visit) const {
    const auto first = others.start[static_cast<std::size_t>(node)];
    const auto last = others.start[static_cast<std::size_t>(node) + 1];
    for (auto entry = first; entry < last; ++entry) {
      visit(others.index[static_cast<std::size_t>(entry)], value(entry));
    }
  }
};

/// Set the node whose conditional expectation is most decided, the others being even, and repeat.
///
/// Of equally decided nodes the one with most weight around it comes first. For maximum cuts this is the rule of Sahni
/// and Gonzalez (1976) with the most decided node first: at least half of all weight is cut. Where the clock is over,
/// the rest is left out.
class MostDecidedFirst {
 public:
  explicit MostDecidedFirst(const QuadraticObjective& objective)
      : objective_(objective),
        change_(objective.linear.begin(), objective.linear.end()),
        node_at_(change_.size()),
        place_of_(change_.size()),
        heap_(objective.num_nodes()) {
    std::vector<double> reach(change_.size());
    for (std::int32_t node = 0; node < objective.num_nodes(); ++node) {
      objective.for_each_pair(node, [&](std::int32_t, double value) {
        change_[static_cast<std::size_t>(node)] += 0.5 * value;
        reach[static_cast<std::size_t>(node)] += std::fabs(value);
      });
    }
    // The heap prefers lower numbers among equals: it gets the places of nodes in the order of their reach.
    std::iota(node_at_.begin(), node_at_.end(), 0);
    std::stable_sort(node_at_.begin(), node_at_.end(), [&](std::int32_t one, std::int32_t other) {
      return reach[static_cast<std::size_t>(one)] > reach[static_cast<std::size_t>(other)];
    });
    for (std::int32_t place = 0; place < objective.num_nodes(); ++place) {
      place_of_[static_cast<std::size_t>(node_at_[static_cast<std::size_t>(place)])] = place;
    }
    for (std::int32_t place = 0; place < objective.num_nodes(); ++place) file(place);
  }

  std::vector<std::uint8_t> run(Clock& clock) {
    std::vector<std::uint8_t> chosen(change_.size());
    while (!heap_.empty() && !clock.is_over()) {
      const std::int32_t node = node_at_[static_cast<std::size_t>(heap_.pop())];
      const bool is_chosen = change_[static_cast<std::size_t>(node)] < 0.0;
      chosen[static_cast<std::size_t>(node)] = is_chosen;
      objective_.for_each_pair(node, [&](std::int32_t other, double value) {
        const std::int32_t place = place_of_[static_cast<std::size_t>(other)];
        if (!heap_.contains(place)) return;
        change_[static_cast<std::size_t>(other)] += is_chosen ? 0.5 * value : -0.5 * value;
        file(place);
      });
    }
    return chosen;
  }

 private:
  void file(std::int32_t place) {
    const std::int32_t node = node_at_[static_cast<std::size_t>(place)];
    heap_.set(place, -std::fabs(change_[static_cast<std::size_t>(node)]));
  }

  QuadraticObjective objective_;
  std::vector<double> change_;  // of the objective, in expectation, where a node is chosen
  std::vector<std::int32_t> node_at_, place_of_;
  IndexedHeap heap_;
};

/// What a set became on its way.
struct Growth {
  double least_cost = std::numeric_limits<double>::infinity();  // of the sets whose weight was in the range
  std::int64_t best_size = 0;                                   // of the first set with that cost
  std::vector<std::int64_t> order;                              // of all nodes that were added
};

/// Grow a set from given nodes by the node of least cost for its weight until none fits any more, or the clock is over.
inline Growth grow_set(const QuadraticObjective& objective, std::span<const double> weight, double lower, double upper,
                       std::span<const std::int64_t> start, Clock& clock) {
  Growth growth;
  std::vector<double> change(objective.linear.begin(), objective.linear.end());
  IndexedHeap heap(objective.num_nodes());
  const auto price = [&](std::int32_t node) {
    return change[static_cast<std::size_t>(node)] / weight[static_cast<std::size_t>(node)];
  };
  for (std::int32_t node = 0; node < objective.num_nodes(); ++node) {
    if (weight[static_cast<std::size_t>(node)] > 0.0) heap.set(node, price(node));
  }
  double total = 0.0, cost = 0.0;
  const auto add = [&](std::int32_t node) {
    growth.order.push_back(node);
    total += weight[static_cast<std::size_t>(node)];
    cost += change[static_cast<std::size_t>(node)];
    objective.for_each_pair(node, [&](std::int32_t other, double value) {
      change[static_cast<std::size_t>(other)] += value;
      if (heap.contains(other)) heap.set(other, price(other));
    });
    if (growth.order.size() >= start.size() && lower <= total && total <= upper && cost < growth.least_cost) {
      growth.least_cost = cost;
      growth.best_size = static_cast<std::int64_t>(growth.order.size());
    }
  };
  for (const auto node : start) {
    if (heap.contains(static_cast<std::int32_t>(node))) heap.remove(static_cast<std::int32_t>(node));
    add(static_cast<std::int32_t>(node));
  }
  while (!heap.empty() && !clock.is_over()) {
    const std::int32_t node = heap.pop();
    // A weight that does not fit now never will.
    if (total + weight[static_cast<std::size_t>(node)] <= upper) add(node);
  }
  return growth;
}

}  // namespace annealco
