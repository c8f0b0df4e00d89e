/// Greedy rules for pairs that exclude each other and for sets that must be hit.
///
/// A packing chooses nodes of which no two are partners, best by weight for each partner they exclude; a covering
/// chooses nodes until every set holds one, best by sets hit for their cost. Each comes with a given order and with one
/// that is updated after every choice. Every partner and membership is met a constant number of times, up to a heap.
///
/// All stop where the clock is over: what they return is then a packing still, but no covering.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/clock.hpp"
#include "core/indexed_heap.hpp"
#include "core/rows.hpp"
#include "search/hitting_set.hpp"

namespace annealco {

using GreedyBits = std::vector<std::uint8_t>;

/// The partners of each variable of a problem whose sets are all pairs.
inline Rows partners_of(const HittingSet& problem) { return {problem.sets().start, problem.partners()}; }

/// Add nodes in an order while no partner is chosen.
inline GreedyBits pack_in_order(const HittingSet& problem, std::span<const std::int64_t> order, Clock& clock) {
  const Rows partners = partners_of(problem);
  GreedyBits chosen(static_cast<std::size_t>(partners.size())), barred(chosen.size());
  for (const auto node : order) {
    if (clock.is_over()) break;
    if (barred[static_cast<std::size_t>(node)]) continue;
    chosen[static_cast<std::size_t>(node)] = 1;
    for (const auto partner : partners[node]) barred[static_cast<std::size_t>(partner)] = 1;
  }
  return chosen;
}

/// Choose the node of largest weight / (1 + remaining partners), drop its partners, and repeat.
///
/// Without weights this is the rule of least remaining degree (for weights: Sakai, Togasaki and Yamazaki, 2003).
inline GreedyBits pack_updated(const HittingSet& problem, Clock& clock) {
  const Rows partners = partners_of(problem);
  GreedyBits chosen(problem.cost().size());
  std::vector<std::int32_t> degree(chosen.size());
  IndexedHeap heap(partners.size());
  const auto price = [&](std::int32_t node) {
    return -problem.cost(node) / (1.0 + degree[static_cast<std::size_t>(node)]);
  };
  for (std::int32_t node = 0; node < partners.size(); ++node) {
    degree[static_cast<std::size_t>(node)] = static_cast<std::int32_t>(partners.length(node));
    heap.set(node, price(node));
  }
  while (!heap.empty() && !clock.is_over()) {
    const std::int32_t node = heap.pop();
    chosen[static_cast<std::size_t>(node)] = 1;
    for (const auto dropped : partners[node]) {
      if (!heap.contains(dropped)) continue;
      heap.remove(dropped);
      for (const auto other : partners[dropped]) {
        if (!heap.contains(other)) continue;
        --degree[static_cast<std::size_t>(other)];
        heap.set(other, price(other));
      }
    }
  }
  return chosen;
}

/// Add nodes in an order where one of their sets is not hit yet.
inline GreedyBits cover_in_order(const HittingSet& problem, std::span<const std::int64_t> order, Clock& clock) {
  GreedyBits chosen(problem.cost().size()), hit(static_cast<std::size_t>(problem.num_sets()));
  for (const auto node : order) {
    if (clock.is_over()) break;
    for (const auto set : problem.sets(node)) {
      if (hit[static_cast<std::size_t>(set)]) continue;
      chosen[static_cast<std::size_t>(node)] = hit[static_cast<std::size_t>(set)] = 1;
    }
  }
  return chosen;
}

/// Choose the node that hits most new sets for its cost, and repeat until all are hit.
inline GreedyBits cover_updated(const HittingSet& problem, Clock& clock) {
  GreedyBits chosen(problem.cost().size()), hit(static_cast<std::size_t>(problem.num_sets()));
  std::vector<std::int32_t> gain(chosen.size());
  IndexedHeap heap(problem.num_variables());
  const auto price = [&](std::int32_t node) {
    const double cost = problem.cost(node);
    return cost > 0.0 ? -gain[static_cast<std::size_t>(node)] / cost : -std::numeric_limits<double>::infinity();
  };
  for (std::int32_t node = 0; node < problem.num_variables(); ++node) {
    gain[static_cast<std::size_t>(node)] = static_cast<std::int32_t>(problem.sets().length(node));
    heap.set(node, price(node));
  }
  while (!heap.empty() && !clock.is_over()) {
    const std::int32_t node = heap.top();
    if (gain[static_cast<std::size_t>(node)] > 0 && price(node) > heap.top_price()) {
      // Gains only fall, so an old price is too good: put in anew, the node comes up when it is due.
      heap.set(node, price(node));
      continue;
    }
    heap.pop();
    if (gain[static_cast<std::size_t>(node)] == 0) continue;
    chosen[static_cast<std::size_t>(node)] = 1;
    for (const auto set : problem.sets(node)) {
      if (hit[static_cast<std::size_t>(set)]) continue;
      hit[static_cast<std::size_t>(set)] = 1;
      for (const auto member : problem.members(set)) --gain[static_cast<std::size_t>(member)];
    }
  }
  return chosen;
}

/// Drop chosen nodes in an order while every set that is hit stays hit.
inline void drop_in_order(const HittingSet& problem, std::span<const std::int64_t> order, GreedyBits& chosen,
                          Clock& clock) {
  std::vector<std::int32_t> hits(static_cast<std::size_t>(problem.num_sets()));
  for (std::int32_t set = 0; set < problem.num_sets(); ++set) {
    for (const auto member : problem.members(set)) {
      hits[static_cast<std::size_t>(set)] += chosen[static_cast<std::size_t>(member)];
    }
  }
  for (const auto node : order) {
    if (clock.is_over()) break;
    if (!chosen[static_cast<std::size_t>(node)]) continue;
    bool needed = false;
    for (const auto set : problem.sets(node)) needed |= hits[static_cast<std::size_t>(set)] == 1;
    if (needed) continue;
    chosen[static_cast<std::size_t>(node)] = 0;
    for (const auto set : problem.sets(node)) --hits[static_cast<std::size_t>(set)];
  }
}

}  // namespace annealco
